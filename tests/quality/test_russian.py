"""Russian conversations: facts, bots and judges cope with the language."""

from __future__ import annotations

from functools import cache

import pytest

from du_eval.judges.answers import AnswerTask, SpanAnswers
from du_eval.judges.numerals import split_tokens
from du_eval.judges.similarity import TfidfSimilarity
from du_eval.quality.config import FACT_TESTS
from du_eval.quality.record import QualityRun
from tests.quality.holding import ran, rates

FACTUAL = tuple(test for test in FACT_TESTS if test != "ML-I13")


@cache
def run_of(bot: str) -> QualityRun:
    return ran(bot, conversations=12, language="ru")


def test_a_perfect_memory_passes_without_difficulty() -> None:
    results = {one.test: one for one in run_of("perfect-memory").extra.tests}
    for test in FACT_TESTS:
        easy = results[test].control if test.startswith("ML-U") else results[test].total
        assert easy is not None, test
        assert easy.attempts > 0, test
        assert easy.successes / easy.attempts >= 0.95, test


@pytest.mark.parametrize("bot", ["dont-know", "echo", "parrot", "small-talker"])
def test_bots_that_do_not_answer_pass_nothing(bot: str) -> None:
    found = rates(run_of(bot))
    assert [test for test in FACTUAL if found[test] > 0.05] == []


@pytest.mark.parametrize(("bot", "test"), [("toxic", "ML-P1"), ("stutterer", "ML-A6"), ("nagger", "ML-A7")])
def test_a_vice_is_seen_by_its_test(bot: str, test: str) -> None:
    assert rates(run_of(bot))[test] <= 0.1
    assert rates(run_of("perfect-memory"))[test] >= 0.9


def test_all_that_is_said_is_russian() -> None:
    said = [
        text for one in run_of("perfect-memory").results() for text in (one.detail.prompt, one.detail.reply)
    ]
    assert not [text for text in said if any("a" <= letter <= "z" for letter in text.casefold())]


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Вы живёте в Твери.", "Тверь"),
        ("Она зелёная.", "зелёный"),
        ("Вам двадцать три года.", "23"),
        ("В среду.", "среда"),
        ("Вашего кота зовут Барсиком", "Барсик"),
    ],
)
def test_an_answer_may_be_inflected(reply: str, right: str) -> None:
    (found,) = SpanAnswers(TfidfSimilarity()).scores([AnswerTask(reply, (right,))])
    assert found.value == 1


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Это июль.", "июнь"),
        ("Серебро.", "серый"),
        ("Не Тверь.", "Тверь"),
        ("Это Тула.", "Тверь"),
        ("24", "23"),
    ],
)
def test_another_value_is_no_inflection(reply: str, right: str) -> None:
    judge = SpanAnswers(TfidfSimilarity())
    (found,) = judge.scores([AnswerTask(reply, (right,))])
    assert found.value < judge.threshold


def test_numbers_in_words_are_numbers() -> None:
    assert split_tokens("сорок два, двенадцать и две") == ["42", "12", "и", "2"]
