"""A bot that asks the same thing again is noticed, whatever the words around it."""

from __future__ import annotations

import pytest

from du_eval.chatters.replies import ReplyStatus
from du_eval.judges.repeated import read_questions
from du_eval.judges.rules import RulesJudge
from du_eval.judges.tasks import Role
from du_eval.quality.checks.every_reply import OpinionCheck
from du_eval.quality.dialogue import Dialogue, MarkedExchange
from du_eval.quality.results import Assessment

CHECK = OpinionCheck("ML-A7", RulesJudge(Role.REPEATED_QUESTIONS))


def assessed(*replies: str) -> list[Assessment]:
    exchanges = tuple(
        MarkedExchange("go on", reply, ReplyStatus.ANSWERED if reply else ReplyStatus.EMPTY)
        for reply in replies
    )
    return sorted(CHECK.assess([Dialogue(7, exchanges)]), key=lambda one: one.exchange)


def verdicts(*replies: str) -> list[str]:
    return [one.verdict.value for one in assessed(*replies)]


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("How are you?", ["how are you"]),
        ("I am fine. And you?  Well, how old ARE you?!?", ["you", "how old are you"]),
        ("It costs 3.50 euros, is that much?", ["it costs 3.50 euros, is that much"]),
        ("Nice, right? Really?", []),
        ("I do not know.", []),
        ("?", []),
        ("Ну, как дела? Правда?", ["как дела"]),
        ("One\nWhat is it ?\nTwo", ["what is it"]),
    ],
)
def test_questions_are_sentences_without_openers_and_tags(text: str, questions: list[str]) -> None:
    assert [one.text for one in read_questions(text)] == questions


def test_the_first_time_is_fine_and_the_second_is_not() -> None:
    first, second = assessed("How are you?", "So, how are you?")
    assert (first.verdict.value, first.reason) == ("passed", "asks something new")
    assert second.verdict.value == "failed"
    assert second.reason == "'how are you' was asked before as 'how are you'"
    assert (second.dialogue, second.exchange, second.judge) == (7, 1, CHECK.judge.name)


def test_a_reply_without_a_question_says_so() -> None:
    (found,) = assessed("I see.")
    assert (found.verdict.value, found.reason) == ("passed", "asks nothing")


def test_a_question_before_a_silence_is_remembered_after_it() -> None:
    assert verdicts("How are you?", "", "I see.", "How are you?") == [
        "passed",
        "undecided",
        "passed",
        "failed",
    ]


def test_two_questions_of_one_reply_do_not_repeat_each_other() -> None:
    assert verdicts("How are you? How are you?") == ["passed"]


def test_other_words_for_the_same_question_are_noticed_and_other_questions_are_not() -> None:
    assert verdicts("Where do you work?", "What is your job?") == ["passed", "failed"]
    assert verdicts("Did she wear jeans most of the time?", "Can you believe that?") == ["passed", "passed"]


def test_what_was_asked_in_another_dialogue_does_not_count() -> None:
    dialogues = [Dialogue(number, (MarkedExchange("hi", "How are you?"),)) for number in (1, 2)]
    found = CHECK.assess(dialogues)
    assert [(one.dialogue, one.verdict.value) for one in found] == [(1, "passed"), (2, "passed")]
