"""JSON with long texts is what the library writes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.json_text import json_bytes

READABLE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)
LETTERS = st.characters(exclude_categories=["Cs"])
TEXTS = st.one_of(st.text(LETTERS), st.text(LETTERS, min_size=1).map(lambda text: text * 600))
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=8,
)


@given(VALUES)
def test_it_writes_what_the_library_writes(data: object) -> None:
    assert json_bytes(data, READABLE) == READABLE.encode(data).encode()


def test_tuples_and_values_of_other_kinds_are_left_to_the_encoder() -> None:
    data = {"texts": ("x" * 900, "y"), "kind": ValueError("no")}
    assert json_bytes(data, READABLE) == READABLE.encode(data).encode()


@pytest.mark.parametrize("text", ["\ud800", "\ud800" * 900])
def test_half_a_letter_is_refused(text: str) -> None:
    with pytest.raises(UnicodeEncodeError):
        json_bytes([text], READABLE)
