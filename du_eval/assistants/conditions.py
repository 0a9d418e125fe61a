"""Whether a condition holds for slots and context."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import regex

from du_eval.assistants.expressions import (
    Compared,
    ConditionSyntaxError,
    Empty,
    Expression,
    Group,
    Joined,
    Literal,
    Not,
    Reference,
    parsed_condition,
)
from du_eval.assistants.templates import rendered

MATCH_SECONDS = 0.5


class ConditionError(ValueError):
    """A condition that makes no sense for the values it meets."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a condition may look at."""

    slots: Mapping[str, object] = field(default_factory=dict)
    context: Mapping[str, object] = field(default_factory=dict)

    def value(self, path: tuple[str, ...]) -> object:
        """Return the value at a path; what is not there is null."""
        roots: dict[str, Mapping[str, object]] = {"slots": self.slots, "context": self.context}
        if path[0] not in roots:
            return None
        found: object = roots[path[0]]
        for part in path[1:]:
            if not isinstance(found, Mapping):
                return None
            found = found.get(part)
        return found


def holds(condition: str | bool, scope: Scope, *, on_error: bool = False) -> bool:  # noqa: FBT001
    """Tell whether a condition is true; one that cannot be evaluated counts as `on_error`."""
    if isinstance(condition, bool):
        return condition
    try:
        return bool(evaluated(condition, scope))
    except (ConditionError, ConditionSyntaxError):
        return on_error


def evaluated(condition: str, scope: Scope) -> object:
    """Return the value of a condition; templates in it are filled first."""
    text = rendered(condition, scope.slots, scope.context) if "{{" in condition else condition
    return _value(parsed_condition(text), scope)


def _value(tree: Expression, scope: Scope) -> object:
    if isinstance(tree, Literal):
        return tree.value
    if isinstance(tree, Reference):
        return scope.value(tree.path)
    if isinstance(tree, Not):
        return not _value(tree.inner, scope)
    if isinstance(tree, Joined):
        results = (bool(_value(part, scope)) for part in tree.parts)
        return all(results) if tree.word == "and" else any(results)
    if isinstance(tree, Compared):
        return _compared(tree, scope)
    return [_value(item, scope) for item in tree.items] if isinstance(tree, Group) else None


def _compared(tree: Compared, scope: Scope) -> bool:
    left = _value(tree.left, scope)
    if tree.operator in {"=", "!="}:
        if isinstance(tree.right, Empty):
            is_equal = left is None or left in ("", [], {})
        else:
            is_equal = _equals(left, _value(tree.right, scope))
        return is_equal is (tree.operator == "=")
    return _OPERATORS[tree.operator](left, _value(tree.right, scope))


def _equals(left: object, right: object) -> bool:
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    return left == right


def _ordered(test: Callable[[object, object], bool]) -> Callable[[object, object], bool]:
    def compare(left: object, right: object) -> bool:
        try:
            return bool(test(left, right))
        except TypeError as error:
            raise ConditionError(f"{left!r} and {right!r} have no order") from error

    return compare


def _contains(left: object, right: object) -> bool:
    if isinstance(left, str):
        return str(right) in left if right is not None else False
    if isinstance(left, list | tuple | set | frozenset | Mapping):
        return right in left
    raise ConditionError(f"{left!r} cannot contain anything")


def _matches(left: object, right: object) -> bool:
    if not isinstance(left, str) or not isinstance(right, str):
        raise ConditionError(f"{left!r} cannot be matched with {right!r}")
    try:
        return _pattern(right).search(left, timeout=MATCH_SECONDS) is not None
    except TimeoutError as error:
        raise ConditionError(f"the pattern {right!r} took longer than {MATCH_SECONDS:g} s") from error


@lru_cache(maxsize=500)
def _pattern(text: str) -> regex.Pattern[str]:
    try:
        return regex.compile(text)
    except regex.error as error:
        raise ConditionError(f"the pattern {text!r} is not valid: {error}") from error


_OPERATORS: dict[str, Callable[[object, object], bool]] = {
    "<": _ordered(lambda left, right: left < right),  # type: ignore[operator]
    "<=": _ordered(lambda left, right: left <= right),  # type: ignore[operator]
    ">": _ordered(lambda left, right: left > right),  # type: ignore[operator]
    ">=": _ordered(lambda left, right: left >= right),  # type: ignore[operator]
    "contains": _contains,
    "in": lambda left, right: _contains(right, left),
    "matches": _matches,
}
