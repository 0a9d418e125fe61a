"""A bot that asks the same thing again is noticed, whatever the words around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from du_eval.chatters.replies import ReplyStatus
from du_eval.judges.repeated import read_questions
from du_eval.quality.checks.base import RepeatedQuestionCheck
from du_eval.quality.dialogue import Dialogue, MarkedExchange
from du_eval.quality.results import Assessment

RULES = "repeated-question-rules/3(listed)"


@dataclass
class ListedSimilarity:
    """Knows how alike some pairs are; others are not alike. Remembers what it was asked."""

    known: dict[frozenset[str], float] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    name: str = "listed"

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.asked += pairs
        return [self.known.get(frozenset(pair), 0.0) for pair in pairs]


def assessed(*replies: str, judge: ListedSimilarity | None = None) -> list[Assessment]:
    exchanges = tuple(
        MarkedExchange("go on", reply, ReplyStatus.ANSWERED if reply else ReplyStatus.EMPTY)
        for reply in replies
    )
    return list(RepeatedQuestionCheck(judge or ListedSimilarity()).assess([Dialogue(7, exchanges)]))


def verdicts(*replies: str, judge: ListedSimilarity | None = None) -> list[str]:
    return [one.verdict.value for one in assessed(*replies, judge=judge)]


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
    assert (first.verdict.value, first.value, first.reason) == ("passed", 0.0, "asks something new")
    assert (second.verdict.value, second.value) == ("failed", 1.0)
    assert second.reason == "'how are you' was asked before as 'how are you'"
    assert (second.dialogue, second.exchange, second.threshold, second.judge) == (7, 1, 0.85, RULES)


def test_a_reply_without_a_question_says_so() -> None:
    (found,) = assessed("I see.")
    assert (found.verdict.value, found.reason) == ("passed", "asks nothing")


@pytest.mark.parametrize(("alike", "verdict"), [(0.84, "passed"), (0.85, "failed"), (0.9, "failed")])
def test_other_words_count_from_the_threshold_on(alike: float, verdict: str) -> None:
    judge = ListedSimilarity({frozenset({"have you a boat", "is a ship yours"}): alike})
    assert verdicts("Is a ship yours?", "Have you a boat?", judge=judge) == ["passed", verdict]
    assert verdicts("Have you a boat?", "Is a ship yours?", judge=judge) == ["passed", verdict]


def test_the_most_alike_earlier_question_is_named() -> None:
    judge = ListedSimilarity(
        {frozenset({"zib", "zob"}): 0.9, frozenset({"zib", "zub"}): 0.95, frozenset({"zob", "zub"}): 0.1}
    )
    found = assessed("Zob?", "Zub?", "Zib?", judge=judge)[-1]
    assert found.reason == "'zib' was asked before as 'zub' (0.95)"


def test_a_question_before_a_silence_is_remembered_after_it() -> None:
    assert verdicts("How are you?", "", "I see.", "How are you?") == [
        "passed",
        "undecided",
        "passed",
        "failed",
    ]


def test_two_questions_of_one_reply_do_not_repeat_each_other() -> None:
    assert verdicts("How are you? How are you?") == ["passed"]


def test_each_pair_of_different_questions_is_compared_once() -> None:
    judge = ListedSimilarity()
    assessed("A b?", "C d?", "A b?", "E f?", judge=judge)
    assert judge.asked == [("a b", "c d"), ("a b", "e f"), ("c d", "e f")]


def test_what_was_asked_in_another_dialogue_does_not_count() -> None:
    dialogues = [Dialogue(number, (MarkedExchange("hi", "How are you?"),)) for number in (1, 2)]
    found = RepeatedQuestionCheck(ListedSimilarity()).assess(dialogues)
    assert [(one.dialogue, one.verdict.value) for one in found] == [(1, "passed"), (2, "passed")]
