"""Texts are wrapped between words and arguments, never inside a name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from du_eval.reports.renderers.layout import find_widest_word, set_side_by_side, set_table, wrap_text

COMMAND = "SetSlot(transfer_money_recipient, Ada Lovelace)"


def test_a_command_is_cut_between_its_arguments() -> None:
    assert wrap_text(COMMAND, 40) == ["SetSlot(transfer_money_recipient,", "  Ada Lovelace)"]


def test_only_where_an_argument_is_too_wide_it_is_cut_at_brackets_and_spaces() -> None:
    assert wrap_text(COMMAND, 12) == ["SetSlot(", "  transfer_money_recipient,", "  Ada", "  Lovelace)"]


def test_a_command_that_fits_stays_whole() -> None:
    assert wrap_text(COMMAND, 80) == [COMMAND]


@given(st.text(st.sampled_from("ab_(, )日é"), max_size=60), st.integers(1, 30))
def test_wrapping_loses_nothing_and_cuts_no_name(text: str, width: int) -> None:
    lines = wrap_text(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    names = set(re.findall(r"[^\s(]+", text))
    assert {name for line in lines for name in re.findall(r"[^\s(]+", line)} == names


@given(st.text(st.sampled_from("ab_(, )日é"), max_size=60), st.integers(0, 9))
def test_lines_fit_where_the_widest_word_does(text: str, more: int) -> None:
    width = find_widest_word(text) + more
    assert all(cell_len(line.rstrip()) <= width for line in wrap_text(text, width))


def test_two_columns_share_the_width() -> None:
    rows = set_side_by_side([("-- EXPECTED --", "-- PREDICTED --"), (COMMAND, COMMAND)], 80)
    assert rows == [
        ["-- EXPECTED --                    | -- PREDICTED --"],
        [
            "SetSlot(transfer_money_recipient, | SetSlot(transfer_money_recipient,",
            "  Ada Lovelace)                   |   Ada Lovelace)",
        ],
    ]


def test_in_a_pipe_commands_stay_whole() -> None:
    assert set_side_by_side([(COMMAND, COMMAND)], None) == [[f"{COMMAND} | {COMMAND}"]]


def test_columns_that_would_cut_a_name_are_refused() -> None:
    assert set_side_by_side([("a" * 30, "b" * 30)], 40) is None


@pytest.mark.parametrize("width", [None, 60, 30])
def test_numbers_of_a_table_are_never_cut(width: int | None) -> None:
    rows = [["name", "value"], ["a text of several words that is long", "0.75 (0.41–0.93)"]]
    lines = list(set_table(rows, [False, True], width))
    assert sum("0.75 (0.41–0.93)" in line for line in lines) == 1
    assert (len(lines) > 2) == (width is not None and width < 54)
    assert width is None or max(map(cell_len, lines)) <= width
