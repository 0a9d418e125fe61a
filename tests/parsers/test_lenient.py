"""A kind reading of badly written commands, for telling a wrong form from a wrong answer."""

from __future__ import annotations

import pytest

from du_eval.commands import default_commands
from du_eval.parsers.reasoning import read_leniently

REGISTRY = default_commands()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("startflow(transfer_money)", "StartFlow(transfer_money)"),
        ("Start Flow: transfer_money", "StartFlow(transfer_money)"),
        ("StartFlow[transfer_money]", "StartFlow(transfer_money)"),
        ("start_flow(flow='transfer_money')", "StartFlow(transfer_money)"),
        ("StartFlow(transfer_money", "StartFlow(transfer_money)"),
        ('{"StartFlow": "transfer_money"}', "StartFlow(transfer_money)"),
        ("start flow transfer_money", "StartFlow(transfer_money)"),
        ("set_slot(name='amount', value='50 dollars')", "SetSlot(amount, 50 dollars)"),
        ("SetSlot{amount: 50}", "SetSlot(amount, 50)"),
        ("SetSlot amount 50", "SetSlot(amount, 50)"),
        ("CancelFlow", "CancelFlow()"),
        ("- Cancel flow.", "CancelFlow()"),
        ("Clarify: a, b", "Clarify(a, b)"),
        ("search and reply", "SearchAndReply()"),
        ("startflow(x) and set_slot(y, 5)", "StartFlow(x) SetSlot(y, 5)"),
    ],
)
def test_what_was_meant_is_understood(text: str, meant: str) -> None:
    assert " ".join(map(str, read_leniently(text, REGISTRY))) == meant


@pytest.mark.parametrize(
    "text",
    ["I need to clarify this", "I will cancel the flow", "sorry", "", "restart", "StartFlow", "SetSlot(a)"],
)
def test_prose_and_pieces_name_no_command(text: str) -> None:
    assert read_leniently(text, REGISTRY) == ()


def test_only_the_beginning_of_a_long_text_is_guessed_at() -> None:
    guesses = len(read_leniently("StartFlow[a]\n" * 3_000, REGISTRY))
    assert 1_000 < guesses < 3_000
    assert len(read_leniently("StartFlow[a]\n" * 40_000, REGISTRY)) == guesses
