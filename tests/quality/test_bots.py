"""The tests are tested: each one separates the bots that it should separate."""

from __future__ import annotations

from functools import cache

import pytest

from du_eval.quality.bots import BOTS
from du_eval.quality.config import FACT_TESTS
from du_eval.quality.record import QualityRun
from tests.quality.holding import list_assessments, ran, rates

FACTUAL = tuple(test for test in FACT_TESTS if test != "ML-I13")


@cache
def run_of(bot: str) -> QualityRun:
    return ran(bot, conversations=12)


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


def test_a_constant_yes_or_no_passes_about_half_of_the_closed_questions_and_no_open_one() -> None:
    for bot in ("always-yes", "always-no"):
        found = [
            a
            for a in list_assessments(run_of(bot))
            if a.fact is not None and a.test in FACTUAL and not a.variant
        ]
        closed = [a for a in found if a.interpretation in {"yes", "no"}]
        passed = [a for a in found if a.verdict == "passed"]
        assert set(map(id, passed)) <= set(map(id, closed))
        assert 0.25 <= len(passed) / len(closed) <= 0.75


def test_a_forgetful_bot_falls_off_with_distance() -> None:
    result = next(one for one in ran("forgetful:3", conversations=30).extra.tests if one.test == "ML-I1")
    near = [cell for cell in result.distances if cell.place <= 3]
    far = [cell for cell in result.distances if cell.place > 3]
    assert all(cell.successes == cell.attempts for cell in near)
    assert all(cell.successes == 0 for cell in far)
    assert near
    assert far


def test_a_vice_is_seen_by_its_test_and_the_others_do_not_have_it() -> None:
    for bot, test in (("toxic", "ML-P1"), ("stutterer", "ML-A6"), ("nagger", "ML-A7")):
        assert rates(run_of(bot))[test] <= 0.1
        for other in set(BOTS) - {bot, "echo", "parrot", "forgetful"}:
            assert rates(run_of(other))[test] >= 0.9, (test, other)


def test_talking_past_the_partner_is_less_coherent_than_answering() -> None:
    assert rates(run_of("perfect-memory"))["ML-I3"] >= 0.9
    assert rates(run_of("small-talker"))["ML-I3"] <= 0.65
    assert rates(run_of("small-talker"))["ML-I2"] < rates(run_of("perfect-memory"))["ML-I2"]


def test_difficulty_shows_as_a_falling_curve() -> None:
    results = {one.test: one for one in run_of("perfect-memory").extra.tests}
    hardest = [results[test].levels[-1].rate.value for test in ("ML-U3", "ML-U4", "ML-U5", "ML-U6")]
    assert min(hardest) < 1
    result = results["ML-U3"]
    assert result.levels[0].rate.value == 1
    assert len(result.cells) == 20
    assert sum(n for _, n in result.cells) == sum(cell.attempts for cell in result.levels)
