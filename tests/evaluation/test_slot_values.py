"""Values that a slot would hold as the same are equal; values that nobody said are told from others."""

from __future__ import annotations

import pytest

from du_eval.assistants.model import BOOL, CATEGORICAL, FLOAT, LIST, TEXT, Slot
from du_eval.evaluation.compare import is_in_conversation, is_same_value


@pytest.mark.parametrize(
    ("kind", "expected", "predicted", "is_same"),
    [
        (TEXT, "a", "a", True),
        (TEXT, "a", "A", False),
        (TEXT, None, None, True),
        (TEXT, None, "a", False),
        (TEXT, "a", None, False),
        (FLOAT, "5", None, False),
        (LIST, "a", None, False),
        (BOOL, "true", "yes", True),
        (BOOL, "true", "no", False),
        (BOOL, "1", "maybe", False),
        (FLOAT, "50", "50.0", True),
        (FLOAT, "5e1", "50", True),
        (FLOAT, "50", "51", False),
        (FLOAT, "50", "fifty", False),
        (FLOAT, "12345678901234567890", "12345678901234567891", False),
        (FLOAT, "12345678901234567890", "12345678901234567890.0", True),
        (FLOAT, "0.1000000000000000000001", "0.1", False),
        (CATEGORICAL, "Big", "big", True),
        (CATEGORICAL, "big", "small", False),
        (LIST, '["a", "b"]', "['a', 'b']", True),
        (LIST, '["a", "b"]', "a, b", True),
        (LIST, '["a", "b"]', "[a, b]", True),
        (LIST, '["a", "b"]', "b, a", False),
        (LIST, "a", '["a"]', True),
        (LIST, "[1, 2]", "1, 2", True),
        (LIST, "a", "a, b", False),
        (LIST, '["a, b"]', "a, b", False),
        (LIST, "(5)", "5", True),
        (LIST, "[" * 5000, "x", False),
    ],
)
def test_a_value_is_compared_as_its_slot_holds_it(
    kind: str, expected: str | None, predicted: str | None, *, is_same: bool
) -> None:
    slot = Slot("x", kind, ("big", "small"))
    assert is_same_value(slot, expected, predicted) is is_same
    assert is_same_value(slot, predicted, expected) is is_same


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Ann", "to ANN please"),
        (" Ann ", "ann"),
        ("+49 30", "call +4930"),
        ("500", "send 500.0"),
        ("1000,5", "send 1000.50"),
        ("500,0", "send 500 of the 300"),
        ("2", "the two of us at 7"),
        ("99", "ninety-nine, at 7"),
        ("500", "send five hundred"),
        ("None", "never mind"),
        ("", "never mind"),
        (None, "null and void is what nobody said"),
        ("Tuesday", "tuesdays"),
        ("walking", "she walks to walki"),
        ("Ann Miller", "to Mrs Miller"),
        ("Ann Miller", "for Ann"),
        ("margherita", "マルゲリータ"),
    ],
)
def test_a_value_that_may_have_been_said_is_in_the_conversation(value: str | None, text: str) -> None:
    assert is_in_conversation(value, None, [text])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("500", "send 300"),
        ("100", "send 300"),
        ("1000,5", "send 1000.6"),
        ("Bob", "to Ann"),
        ("of Bob", "a cup of tea"),
        ("teas", "te"),
        ("walking", "walk"),
        ("ピザ", "a pasta"),
        ("ピザ", "パスタ"),
    ],
)
def test_a_value_that_nobody_said_is_not_in_the_conversation(value: str, text: str) -> None:
    assert not is_in_conversation(value, None, [text])
    assert not is_in_conversation(value, Slot("x", TEXT), [text])


@pytest.mark.parametrize("kind", [BOOL, CATEGORICAL])
def test_truth_values_and_categories_are_not_looked_for(kind: str) -> None:
    assert is_in_conversation("large", Slot("x", kind), ["a tiny one"])
