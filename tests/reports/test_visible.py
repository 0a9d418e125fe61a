"""Foreign text is shown, not obeyed."""

from __future__ import annotations

import pytest

from du_eval.reports.sections import Diff
from du_eval.reports.visible import make_visible, pair_rows, tell_apart


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain Ünïcode 日本語 👍", "plain Ünïcode 日本語 👍"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]8;;http://example.com\x07link", "\\x1b]8;;http://example.com\\x07link"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("a\u200bb\ufeffc\u00add", "a\\u200bb\\ufeffc\\xadd"),
        ("two\nlines\tand\u00a0space", "two⏎lines and space"),
        ("\ud800 half", "\\ud800 half"),
        ("\u2028\U000e0041", "\\u2028\\U000e0041"),
        ("می\u200cخواهم 👩\u200d🚀", "می\u200cخواهم 👩\u200d🚀"),
        ("a\u200db", "a\\u200db"),
    ],
)
def test_what_is_invisible_or_steers_a_terminal_is_spelled_out(text: str, shown: str) -> None:
    assert make_visible(text) == shown


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("Zo\u00eb", "Zoe\u0308", ("Zo\\xeb", "Zoe\\u0308")),
        ("a b", "a\u00a0b", ("a b", "a\\xa0b")),
        ("Ada", "Ada\u200b", ("Ada", "Ada\\u200b")),
        ("Ada", "\uff21da", ("Ada", "\\uff21da")),
        ("paypal", "p\u0430ypal", ("paypal", "p\\u0430ypal")),
        ("\u0395va", "Eva", ("\\u0395va", "Eva")),
        ("\u0434\u0430", "\u043d\u0435\u0442", ("да", "нет")),
        ("Zo\u00eb", "Zo\u00eb", ("Zoë", "Zoë")),
        ("Zo\u00eb", "Ada", ("Zoë", "Ada")),
    ],
)
def test_texts_that_look_alike_are_told_apart(one: str, other: str, shown: tuple[str, str]) -> None:
    assert tell_apart(one, other) == shown


def test_equal_texts_stand_beside_each_other_and_others_fill_the_gaps() -> None:
    diff = Diff(("a", "b", "c"), ("x", "c", "a", "y", "z"))
    assert pair_rows(diff) == [
        ("a", "a", True),
        ("b", "x", False),
        ("c", "c", True),
        ("", "y", False),
        ("", "z", False),
    ]


def test_a_repeated_expectation_needs_a_repeated_prediction() -> None:
    assert pair_rows(Diff(("a", "a"), ("a",))) == [("a", "a", True), ("a", "", False)]


def test_a_view_may_say_itself_which_rows_agree() -> None:
    diff = Diff(("SetSlot(n, Ada)", "Skip()"), ("SetSlot(n, ada)",), agrees=(True, False))
    assert pair_rows(diff) == [("SetSlot(n, Ada)", "SetSlot(n, ada)", True), ("Skip()", "", False)]
