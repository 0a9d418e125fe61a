"""The numbers of a run by name, all that is known about each, and the least that is asked of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from math import isfinite

from msgspec import Struct

from du_eval.errors import ConfigError, did_you_mean
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Measurement


class Direction(StrEnum):
    """Which direction of a figure is good news."""

    HIGHER = "higher"
    LOWER = "lower"
    UNKNOWN = "unknown"


class Figure(Struct, frozen=True, omit_defaults=True):
    """A number with all that console, gate, history, comparison and page need to know about it."""

    name: str
    """How it is written in thresholds and found again in other runs: `f1.set_slot`."""
    measured: Measurement
    title: str = ""
    """How people call it; empty: like its name."""
    better: Direction = Direction.HIGHER
    unit: str = "share"
    """`share` for rates from 0 to 1; otherwise what is counted or measured."""
    method: str = ""
    """How it was measured; figures that were measured otherwise cannot be compared."""
    is_headline: bool = False
    """Whether it is among the few that people look at first."""

    @property
    def value(self) -> float | None:
        """The number itself; None where it is undefined."""
        return self.measured.value

    @property
    def is_share(self) -> bool:
        """Tell whether it is a rate from 0 to 1."""
        return self.unit == "share"


class CorrectedRate(Struct, frozen=True, omit_defaults=True):
    """A rate corrected for the mistakes of the judge, beside the raw one and that of the labels alone."""

    check: str
    method: str
    """How it was corrected."""
    raw: Measurement
    """Of what the judge decided, uncorrected."""
    corrected: Measurement
    labelled: Measurement
    kappa: float | None = None
    """How far the judge and people agree beyond chance."""
    more_labels: int | None = None
    """About how many more labels would halve the interval; None where no number would."""
    annotators: tuple[str, ...] = ()
    twice: int = 0
    """How many texts two people labelled."""
    kappa_of_annotators: float | None = None
    better: Direction = Direction.HIGHER


class Threshold(Struct, frozen=True):
    """The value that a figure must reach: at least, or at most where less is better."""

    name: str
    value: float


def parse_thresholds(text: str, origin: str = "--fail-under") -> tuple[Threshold, ...]:
    """Read `accuracy=0.9,f1.set_slot=85%`."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, separator, value = part.partition("=")
        try:
            number = float(value.strip().removesuffix("%")) / (100 if value.strip().endswith("%") else 1)
        except ValueError:
            separator = ""
        if not separator or not isfinite(number):
            raise ConfigError(f"{origin}: '{part}' is not a figure and its threshold, as in accuracy=0.9")
        found.append(Threshold(name.strip().replace(" ", "_"), number))
    if not found:
        raise ConfigError(f"{origin} names no figure; write accuracy=0.9")
    return tuple(found)


def check_thresholds(
    thresholds: Iterable[Threshold], known: Collection[str], origin: str = "--fail-under"
) -> None:
    """Raise if a threshold names a figure that the run cannot have."""
    unknown = [one.name for one in thresholds if one.name not in known]
    if unknown:
        told = [f"{origin}: unknown figure '{name}'; {_hint(name, known)}" for name in unknown]
        raise ConfigError("\n".join(told))


def _hint(name: str, known: Collection[str]) -> str:
    alike = [one for one in known if one.startswith((f"{name.partition('.')[0]}.", f"{name}@"))]
    return did_you_mean(name, known) or f"known figures: {', '.join(alike or known)}"


class JudgedThreshold(Struct, frozen=True):
    """Whether a threshold is met, and why."""

    met: Outcome
    """Undecided: what was not judged could reverse it."""
    reason: str


def judge_thresholds(
    figures: Sequence[Figure], thresholds: Iterable[Threshold]
) -> tuple[JudgedThreshold, ...]:
    """Tell of each threshold whether it is met; an undefined figure is not, unless nothing was judged."""
    by_name = {figure.name: figure for figure in figures}
    return tuple(
        _judge(one, by_name[one.name]) if one.name in by_name else _miss(one.name, by_name)
        for one in thresholds
    )


def _miss(name: str, known: Collection[str]) -> JudgedThreshold:
    return JudgedThreshold(Outcome.FAILED, f"the run has no figure '{name}'; {_hint(name, known)}")


def _judge(threshold: Threshold, figure: Figure) -> JudgedThreshold:
    name, value = threshold.name, threshold.value
    is_lower = figure.better is Direction.LOWER
    wanted = f"must be at {'most' if is_lower else 'least'} {value:g}"
    measured = figure.measured
    bounds = measured.bounds
    between = (
        bounds and f"between {bounds.low:.2f} and {bounds.high:.2f}, as {bounds.missing} were not judged"
    )
    if bounds is not None:
        met = bounds.stay_within(value) if is_lower else bounds.reach(value)
        if met is None:
            return JudgedThreshold(Outcome.UNDECIDED, f"{name} is {between}, and {wanted}")
    elif measured.value is None:
        return JudgedThreshold(Outcome.FAILED, f"{name} is undefined, and {wanted}")
    else:
        met = measured.value <= value if is_lower else measured.value >= value
    told = between if bounds is not None and bounds.matter else f"{measured.value or 0.0:.4f}"
    return JudgedThreshold(Outcome.PASSED if met else Outcome.FAILED, f"{name} is {told}, and {wanted}")
