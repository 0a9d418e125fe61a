"""Conditions mean what they mean in pypred, which real assistants use: compared on expressions made at random."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable

import pytest

from du_eval.assistants.conditions import ConditionError, Scope, evaluate_condition
from du_eval.assistants.expressions import ConditionSyntaxError

EXPRESSIONS = 900
SLOTS: dict[str, object] = {
    "amount": 50.0,
    "zero": 0,
    "name": "Ann",
    "pin": "1234",
    "blank": "",
    "tags": ["a", "b", 1.0],
    "none": [],
    "yes": True,
    "no": False,
    "nothing": None,
}
CONTEXT: dict[str, object] = {"reason": "chitchat", "names": ["a"], "deep": {"er": 7}}
NAMES = [*(f"slots.{name}" for name in SLOTS), "slots.unknown", "slots.name.deeper", "slots.nothing.deeper"]
NAMES += ["context.reason", "context.names", "context.deep.er", "context.nowhere", "slots", "stranger"]
VALUES = ["0", "1", "50", "-3.5", "'Ann'", '"a"', "''", "true", "FALSE", "null", "undefined", "empty"]
GROUPS = ["{}", "{'Ann' 'Bob'}", "{1 true}", "{slots.name 3}", "{undefined}", "{'a' slots.unknown}"]
PATTERNS = [r"'^\d{4}$'", "'^A'", '"n+$"', "'['", "slots.name", "5", "'^(a|b)$'", r"'\w'"]
NONSENSE = [
    "a b",
    "= 3",
    "slots.a =",
    "(slots.yes",
    "a && b",
    "a, b",
    "not",
    "{'a'",
    "x in y",
    "1abc",
    "a is is b",
]


def make(random_: random.Random, depth: int = 3) -> str:
    """Return an expression; most make sense, some do not."""
    if random_.random() < 0.02:
        return random_.choice(NONSENSE)
    if depth and random_.random() < 0.5:
        kind = random_.randrange(4)
        inner = make(random_, depth - 1)
        if kind == 0:
            return f"not {inner}"
        if kind == 1:
            return f"({inner})"
        return f"{inner} {random_.choice(['and', 'or', 'AND'])} {make(random_, depth - 1)}"
    left = random_.choice([*NAMES, *NAMES, *VALUES, *GROUPS])
    kind = random_.randrange(8)
    if kind == 0:
        return left
    if kind == 1:
        return f"{left} matches {random_.choice(PATTERNS)}"
    right = random_.choice([*NAMES, *VALUES, *VALUES, *GROUPS])
    if kind in {2, 3}:
        return f"{left} contains {right}"
    return f"{left} {random_.choice(['=', '==', '!=', 'is', 'is not', '<', '<=', '>', '>=', 'IS'])} {right}"


def ours(expression: str) -> bool | str:
    try:
        return bool(evaluate_condition(expression, Scope(SLOTS, CONTEXT)))
    except ConditionSyntaxError:
        return "invalid"
    except ConditionError:
        return "error"


def make_theirs() -> Callable[[str], bool | str]:
    pypred = pytest.importorskip("pypred")

    def theirs(expression: str) -> bool | str:
        predicate = pypred.Predicate(expression)
        if not predicate.is_valid():
            return "invalid"
        try:
            return bool(predicate.evaluate({"slots": SLOTS, "context": CONTEXT}))
        except Exception:
            return "error"

    return theirs


@pytest.fixture(scope="module")
def theirs() -> Callable[[str], bool | str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_theirs()


def test_generated_expressions_mean_the_same(theirs: Callable[[str], bool | str]) -> None:
    random_ = random.Random(20_26)
    expressions = [make(random_) for _ in range(EXPRESSIONS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = {expression: theirs(expression) for expression in expressions}
    different = {one: (found, ours(one)) for one, found in expected.items() if ours(one) != found}
    assert not different, list(different.items())[:10]
    assert {True, False, "invalid", "error"} <= set(expected.values())
    assert len(expected) >= 500
