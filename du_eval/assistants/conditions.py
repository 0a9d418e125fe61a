"""Whether a condition holds for slots and context, with the rules of pypred for values of all kinds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sized
from enum import Enum
from functools import lru_cache

import regex
from msgspec import Struct, field

from du_eval.assistants.expressions import (
    Compared,
    ConditionSyntaxError,
    Expression,
    Group,
    Joined,
    Keyword,
    Literal,
    Matched,
    Not,
    Reference,
    parse_condition,
    render_text,
)

MATCH_SECONDS = 0.5


class ConditionError(ValueError):
    """A condition that makes no sense for the values it meets."""


class Nothing(Enum):
    """What is no value, and not null either."""

    UNDEFINED = "undefined"
    EMPTY = "empty"

    def __bool__(self) -> bool:
        return False


class Scope(Struct, frozen=True):
    """What a condition may look at."""

    slots: Mapping[str, object] = field(default_factory=dict)
    context: Mapping[str, object] = field(default_factory=dict)

    def resolve(self, name: str) -> object:
        """Return the value of a name with dots; what is not there is undefined."""
        found: object = {"slots": self.slots, "context": self.context}
        for part in name.split("."):
            if not isinstance(found, Mapping):
                if isinstance(found, str | list | tuple | set | frozenset) and part not in found:
                    return Nothing.UNDEFINED
                raise ConditionError(f"{found!r} has no part '{part}' (in '{name}')")
            if part not in found:
                return Nothing.UNDEFINED
            found = found[part]
        return found


def holds(condition: str | bool, scope: Scope, *, on_error: bool = False) -> bool:  # noqa: FBT001
    """Tell whether a condition is true; one that cannot be evaluated counts as `on_error`."""
    if isinstance(condition, bool):
        return condition
    try:
        return bool(evaluate_condition(condition, scope))
    except (ConditionError, ConditionSyntaxError):
        return on_error


def evaluate_condition(condition: str, scope: Scope) -> object:
    """Return the value of a condition; templates in it are filled first."""
    text = render_text(condition, scope.slots, scope.context) if "{{" in condition else condition
    return _value(parse_condition(text), scope)


def _value(tree: Expression, scope: Scope) -> object:
    if isinstance(tree, Literal):
        return tree.value
    if isinstance(tree, Reference):
        return scope.resolve(tree.name)
    if isinstance(tree, Keyword):
        return Nothing(tree.word)
    if isinstance(tree, Not):
        return not _value(tree.inner, scope)
    if isinstance(tree, Joined):
        left = bool(_value(tree.left, scope))
        return left if left is (tree.word == "or") else bool(_value(tree.right, scope))
    if isinstance(tree, Matched):
        return _matches(_value(tree.left, scope), tree.pattern)
    if isinstance(tree, Group):
        return _group(tree, scope)
    return _OPERATORS[tree.operator](_value(tree.left, scope), tree, scope)


def _group(tree: Group, scope: Scope) -> frozenset[object]:
    for item in tree.items:
        if not isinstance(item, Literal | Reference):
            raise ConditionError("a set holds values and names only")
    try:
        return frozenset(_value(item, scope) for item in tree.items)
    except TypeError as error:
        raise ConditionError(f"a set cannot hold this: {error}") from error


def _equals(left: object, right: object) -> bool:
    if isinstance(right, Nothing) and not isinstance(left, Nothing):
        left, right = right, left
    if left is Nothing.UNDEFINED:
        return isinstance(right, Nothing)
    if left is Nothing.EMPTY:
        return isinstance(right, Nothing) or (isinstance(right, Sized) and len(right) == 0)
    return bool(left == right)


def _differs(left: object, right: object) -> bool:
    if left is Nothing.UNDEFINED:
        return right is not Nothing.UNDEFINED
    return not _equals(left, right)


def _compare(
    test: Callable[[object, object], bool],
) -> Callable[[object, Compared, Scope], bool]:
    def compare(left: object, tree: Compared, scope: Scope) -> bool:
        return test(left, _value(tree.right, scope))

    return compare


def _order(test: Callable[..., object]) -> Callable[[object, Compared, Scope], bool]:
    def compare(left: object, right: object) -> bool:
        if isinstance(left, Nothing) or isinstance(right, Nothing):
            return False
        try:
            return bool(test(left, right))
        except TypeError as error:
            raise ConditionError(f"{left!r} and {right!r} have no order") from error

    return _compare(compare)


def _contains(left: object, tree: Compared, scope: Scope) -> bool:
    if left is Nothing.UNDEFINED:
        _value(tree.right, scope)
        return False
    if not isinstance(left, str | list | tuple | set | frozenset | Mapping):
        return False
    try:
        return _value(tree.right, scope) in left
    except TypeError as error:
        raise ConditionError(f"{left!r} cannot contain this: {error}") from error


def _matches(left: object, pattern: str) -> bool:
    if not isinstance(left, str):
        return False
    try:
        return _pattern(pattern).search(left, timeout=MATCH_SECONDS) is not None
    except TimeoutError as error:
        raise ConditionError(f"the pattern {pattern!r} took longer than {MATCH_SECONDS:g} s") from error


@lru_cache(maxsize=500)
def _pattern(text: str) -> regex.Pattern[str]:
    try:
        return regex.compile(text)
    except regex.error as error:
        raise ConditionError(f"the pattern {text!r} is not valid: {error}") from error


_OPERATORS: dict[str, Callable[[object, Compared, Scope], bool]] = {
    "=": _compare(_equals),
    "!=": _compare(_differs),
    "<": _order(operator.lt),
    "<=": _order(operator.le),
    ">": _order(operator.gt),
    ">=": _order(operator.ge),
    "contains": _contains,
}
