"""Values that a slot would hold as the same are equal, others are not."""

from __future__ import annotations

import pytest

from du_eval.assistants.model import BOOL, CATEGORICAL, FLOAT, LIST, TEXT, Slot
from du_eval.evaluation.compare import is_same_value


@pytest.mark.parametrize(
    ("kind", "expected", "predicted", "is_same"),
    [
        (TEXT, "a", "a", True),
        (TEXT, "a", "A", False),
        (TEXT, None, None, True),
        (TEXT, None, "a", False),
        (TEXT, "a", None, False),
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
        (LIST, "[" * 5000, "x", False),
    ],
)
def test_a_value_is_compared_as_its_slot_holds_it(
    kind: str, expected: str | None, predicted: str | None, *, is_same: bool
) -> None:
    slot = Slot("x", kind, ("big", "small"))
    assert is_same_value(slot, expected, predicted) is is_same
    assert is_same_value(slot, predicted, expected) is is_same
