"""Repeated attempts."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.statistics.success import ChanceOfK, SuccessRatio, chances_over_k, pass_at_k, pass_hat_k


@st.composite
def ratios(draw: st.DrawFn) -> SuccessRatio:
    of = draw(st.integers(1, 8))
    return SuccessRatio(draw(st.integers(1, of)), of)


@given(ratios(), st.lists(st.booleans(), min_size=8, max_size=8))
def test_stopping_early_never_changes_the_verdict(ratio: SuccessRatio, attempts: list[bool]) -> None:
    attempts = attempts[: ratio.of]
    verdict = ratio.decision(attempts.count(True), attempts.count(False))
    assert verdict is (attempts.count(True) >= ratio.needed)
    done = 0
    while more := ratio.certain_attempts(attempts[:done].count(True), attempts[:done].count(False)):
        # Nothing can be decided before all of these are made.
        for part in range(done, done + more):
            assert ratio.decision(attempts[:part].count(True), attempts[:part].count(False)) is None
        done += more
    assert done <= ratio.of
    assert ratio.decision(attempts[:done].count(True), attempts[:done].count(False)) is verdict


@given(st.integers(1, 7), st.data())
def test_chances_over_k_are_averages_over_all_choices_of_k(attempts: int, data: st.DataObject) -> None:
    good = data.draw(st.integers(0, attempts))
    k = data.draw(st.integers(1, attempts))
    choices = list(combinations([True] * good + [False] * (attempts - good), k))
    assert pass_at_k(good, attempts, k) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_hat_k(good, attempts, k) == pytest.approx(sum(map(all, choices)) / len(choices))


def test_more_attempts_than_were_made_tell_nothing() -> None:
    assert pass_at_k(1, 2, 3) is None
    assert pass_hat_k(1, 2, 3) is None


def test_a_ratio_is_written_as_a_fraction() -> None:
    assert SuccessRatio.parsed(" 2 / 3 ") == SuccessRatio(2, 3)
    assert str(SuccessRatio(2, 3).over(10)) == "7/10"
    for text in ("2", "3/2", "0/3", "a/b", "2/3/4", "-1/2"):
        with pytest.raises(ValueError, match="such as 2/3"):
            SuccessRatio.parsed(text)


def test_chances_come_from_the_samples_that_all_cases_have() -> None:
    found = chances_over_k([[True, False], [True, True, True, False], [False, False, True]])
    assert [one.k for one in found.by_k] == [1, 2]
    assert found.by_k[0] == ChanceOfK(1, 3, pytest.approx(0.5), pytest.approx(0.5))
    assert found.by_k[1] == ChanceOfK(2, 3, pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert found.omitted == "k above 2 omitted: not all have more judged samples"


def test_stopping_early_does_not_make_chances_look_better() -> None:
    random, at_three = Random(3), []
    ratio = SuccessRatio(1, 3)
    for _ in range(3000):
        outcomes: list[bool] = []
        while ratio.decision(outcomes.count(True), outcomes.count(False)) is None:
            outcomes.append(random.random() < 0.19)
        at_three.append(outcomes)
    found = chances_over_k(at_three)
    assert [one.k for one in found.by_k] == [1]
    assert found.by_k[0].at_least_one == pytest.approx(0.19, abs=0.025)


def test_samples_that_were_not_judged_count_neither_way() -> None:
    found = chances_over_k([[True, None, True], [False, True, None], [None, None, None]])
    assert [(one.k, one.n) for one in found.by_k] == [(1, 2), (2, 2)]
    assert found.omitted == (
        "1 without a judged sample left out; k above 2 omitted: not all have more judged samples"
    )


def test_equal_numbers_of_samples_omit_nothing() -> None:
    found = chances_over_k([[True] * 4, [False] * 4])
    assert [one.k for one in found.by_k] == [1, 2, 3, 4]
    assert found.omitted == ""
    assert chances_over_k([]).by_k == ()
