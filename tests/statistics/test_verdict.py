"""A verdict is as strict as its criteria: at the limits themselves nothing is proven."""

from __future__ import annotations

import pytest

from du_eval.statistics.difference import Difference, Pair
from du_eval.statistics.intervals import Interval
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.verdict import Criteria, Loss, Verdict, decide_verdict, judge_loss

CRITERIA = Criteria(0.05, 0.02)


def difference(value: float, p: float = 1.0, narrow: tuple[float, float] = (-0.5, 0.5)) -> Difference:
    return Difference(value, 10, p, Interval(-1, 1), Interval(*narrow), 5, 2)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (difference(0.1, 0.049), Verdict.IMPROVED),
        (difference(-0.1, 0.049), Verdict.REGRESSED),
        (difference(0.0, 0.049), Verdict.REGRESSED),
        (difference(0.1, 0.05), Verdict.UNDECIDED),
        (difference(0.0, narrow=(-0.019, 0.019)), Verdict.EQUIVALENT),
        (difference(0.0, narrow=(-0.02, 0.019)), Verdict.UNDECIDED),
        (difference(0.0, narrow=(-0.019, 0.02)), Verdict.UNDECIDED),
        (difference(0.0, narrow=(-0.03, -0.025)), Verdict.UNDECIDED),
    ],
)
def test_a_difference_is_proven_below_alpha_and_its_absence_within_the_margin(
    found: Difference, verdict: Verdict
) -> None:
    assert decide_verdict(found, CRITERIA) is verdict


def test_a_corrected_p_takes_the_place_of_the_own_one() -> None:
    assert decide_verdict(difference(0.1, 0.01), CRITERIA, 0.2) is Verdict.UNDECIDED
    assert decide_verdict(difference(0.1, 0.2), CRITERIA, 0.0) is Verdict.IMPROVED


def test_without_criteria_five_percent_and_two_points_count() -> None:
    assert Criteria() == Criteria(0.05, 0.02, 0)


@pytest.mark.parametrize(
    ("narrow", "loss"),
    [
        ((-0.2, -0.051), Loss.LARGER),
        ((-0.2, -0.05), Loss.OPEN),
        ((-0.051, 0.1), Loss.OPEN),
        ((-0.05, 0.1), Loss.OPEN),
        ((-0.049, 0.1), Loss.SMALLER),
        ((0.0, 0.1), Loss.SMALLER),
    ],
)
def test_a_loss_is_larger_or_smaller_than_allowed_where_the_whole_interval_is(
    narrow: tuple[float, float], loss: Loss
) -> None:
    assert judge_loss(difference(-0.1, narrow=narrow), 0.05) is loss


def test_that_nothing_was_lost_is_not_proven_by_three_steps_won() -> None:
    found = rate_difference([Pair(step, float(step > 2), 1.0) for step in range(100)])
    assert found is not None
    assert found.p == 0.25
    assert judge_loss(found, 0.0) is Loss.OPEN
