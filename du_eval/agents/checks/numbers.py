"""Checks of order, nearness and size."""

from __future__ import annotations

from math import isclose, isfinite
from typing import Any

from msgspec import Struct

from du_eval.agents.checks.base import (
    CheckFinding,
    CheckKind,
    InapplicableError,
    Subject,
    is_number,
    name_kind,
    number,
    show_value,
)


class Near(Struct, frozen=True):
    """A number and how far off the value may be."""

    value: float
    tolerance: float
    relative: float

    def __str__(self) -> str:
        return f"{self.value:g} ± {max(self.tolerance, self.relative * abs(self.value)):g}"


class Range(Struct, frozen=True):
    """Limits, both included; None is no limit."""

    low: float | None
    high: float | None

    def holds(self, value: float) -> bool:
        """Return whether a number lies inside."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.low is None:
            return f"at most {self.high:g}"
        if self.high is None:
            return f"at least {self.low:g}"
        return f"{self.low:g}" if self.low == self.high else f"from {self.low:g} to {self.high:g}"


def _is_less(low: Any, high: Any) -> bool:
    try:
        return bool(low < high)
    except TypeError as error:
        reason = (
            f"{name_kind(low)} ({show_value(low)}) and {name_kind(high)} ({show_value(high)}) have no order"
        )
        raise InapplicableError(reason) from error


def _less(subject: Subject, expected: object) -> CheckFinding:
    return _compare(subject, subject.value, expected)


def _greater(subject: Subject, expected: object) -> CheckFinding:
    return _compare(subject, expected, subject.value)


def _compare(subject: Subject, low: object, high: object) -> CheckFinding:
    low, high = subject.fold(low), subject.fold(high)
    if subject.manner.swaps_order:
        return CheckFinding(_is_less(high, low), f"{subject.manner.name} compares the other way round")
    return CheckFinding(_is_less(low, high))


def _limit(raw: object) -> object:
    if not isinstance(raw, int | float | str | list):
        raise ValueError(f"needs a number, a string or a list within a list, not {name_kind(raw)}")  # noqa: TRY004
    return raw


def _number_of(subject: Subject) -> float:
    if not is_number(subject.value):
        raise InapplicableError(
            f"it is {name_kind(subject.value)} ({show_value(subject.value)}), not a number"
        )
    return subject.value  # type: ignore[no-any-return]


def _near(subject: Subject, expected: Near) -> CheckFinding:
    value = _number_of(subject)
    return CheckFinding(isclose(value, expected.value, rel_tol=expected.relative, abs_tol=expected.tolerance))


def _near_expectation(raw: object) -> Near:
    if not isinstance(raw, dict):
        return Near(number(raw), 0.0, 1e-6)
    if "value" not in raw or not {"tolerance", "relative"} & set(raw):
        raise ValueError("needs 'value' and 'tolerance' or 'relative'")
    tolerance, relative = number(raw.get("tolerance", 0.0)), number(raw.get("relative", 0.0))
    if not (0 <= tolerance < float("inf") and 0 <= relative < 1):
        raise ValueError("needs a tolerance of at least 0 and a relative one below 1")
    return Near(number(raw["value"]), tolerance, relative)


def _in_range(subject: Subject, expected: Range) -> CheckFinding:
    return CheckFinding(expected.holds(_number_of(subject)))


def _range(raw: object) -> Range:
    if isinstance(raw, dict):
        low, high = (None if raw.get(key) is None else number(raw[key]) for key in ("min", "max"))
    elif isinstance(raw, list) and len(raw) == 2:
        low, high = number(raw[0]), number(raw[1])
    else:
        raise ValueError("needs [low, high] or an object with 'min' or 'max'")
    if low is None and high is None:
        raise ValueError("needs 'min' or 'max'")
    if low is not None and high is not None and low > high:
        raise ValueError(f"the lower limit {low:g} is above the upper limit {high:g}")
    return Range(low, high)


def _length(subject: Subject, expected: Range) -> CheckFinding:
    if not isinstance(subject.value, str | list | dict):
        raise InapplicableError(f"it is {name_kind(subject.value)}, which has no length")
    length = len(subject.value)
    return CheckFinding(expected.holds(length), f"its length is {length}")


def _length_expectation(raw: object) -> Range:
    limits = Range(number(raw), number(raw)) if not isinstance(raw, dict) else _range(raw)
    known = [limit for limit in (limits.low, limits.high) if limit is not None]
    if any(limit < 0 or not isfinite(limit) or limit != int(limit) for limit in known):
        raise ValueError("needs whole numbers of at least 0")
    return limits


def _is_pair(raw: list[object]) -> bool:
    return len(raw) == 2 and all(is_number(item) for item in raw)


NUMBER_CHECKS = (
    CheckKind("less", lambda e: f"to be less than {show_value(e)}", _less, prepare=_limit),
    CheckKind("greater", lambda e: f"to be greater than {show_value(e)}", _greater, prepare=_limit),
    CheckKind(
        "approx",
        lambda e: f"to be about {e}",
        _near,
        prepare=_near_expectation,
        options=frozenset({"value", "tolerance", "relative"}),
    ),
    CheckKind(
        "in_range",
        lambda e: f"to be {e}",
        _in_range,
        prepare=_range,
        options=frozenset({"min", "max"}),
        takes_list=_is_pair,
    ),
    CheckKind(
        "length",
        lambda e: f"to have a length {'of ' * (e.low == e.high)}{e}",
        _length,
        prepare=_length_expectation,
        options=frozenset({"min", "max"}),
    ),
)
