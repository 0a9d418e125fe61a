"""Texts of converted data read back as they are."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from du_eval.conversion.suite_folder import quote


@pytest.mark.parametrize(
    "text", ["a roast \U0001f356\nand a beer \U0001f37a", "a\u2028b", "tab\there", "bell\x07", "\x85"]
)
def test_a_text_reads_back_as_it_is(text: str) -> None:
    assert yaml.safe_load(quote(text)) == text


@given(st.text())
def test_any_text_does(text: str) -> None:
    assert yaml.safe_load(quote(text)) == text


def test_half_a_character_is_replaced() -> None:
    assert yaml.safe_load(quote("half \ud83c")) == "half \ufffd"
