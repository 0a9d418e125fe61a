"""The yes/no judge knows negation and says unclear rather than guess."""

from __future__ import annotations

import pytest

from du_eval.judges.yes_no import Polarity, RuleYesNo


@pytest.mark.parametrize(
    ("question", "reply", "polarity"),
    [
        ("", "No", "no"),
        ("", "NO.", "no"),
        ("", "Nope", "no"),
        ("", "Of course not!", "no"),
        ("", "Of course, why not?", "yes"),
        ("", "I don ' t know", "unclear"),
        ("", "Yes and no.", "unclear"),
        ("", "No doubt about it.", "yes"),
        ("", "", "unclear"),
        ("", "!!!", "unclear"),
        ("Do I have a dog?", "You have a dog.", "yes"),
        ("Do I have a dog?", "You do n't have a dog", "no"),
        ("Do I have a dog?", "What a lovely day.", "unclear"),
        ("Do I have a dog?", "I have a dog.", "unclear"),
        ("Is my brother married?", "He isn't.", "no"),
        ("Do you like sushi?", "I love it", "yes"),
        ("Любишь суши?", "Обожаю!", "yes"),
        ("Любишь суши?", "Не люблю суши", "no"),
        ("Ты работаешь?", "Работаю в школе", "yes"),
        ("Ты работаешь?", "Не знаю", "unclear"),
    ],
)
def test_a_reply_is_read_as(question: str, reply: str, polarity: str) -> None:
    assert RuleYesNo().decide(reply, question).polarity == Polarity(polarity)
