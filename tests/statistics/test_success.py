"""Repeated attempts."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.statistics.success import SuccessRatio, pass_at_k, pass_hat_k


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
