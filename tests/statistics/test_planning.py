"""Advice asks for as much as the verdict needs, and a gate answers what it is asked."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from du_eval.statistics.difference import Difference, Pair, Unseen
from du_eval.statistics.paired_means import mean_difference
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.planning import SoughtVerdict, Wish, items_to_exclude, plan_items, size_comparison
from du_eval.statistics.verdict import Criteria, Loss, Verdict, decide_verdict, judge_loss
from tests.statistics.simulating import simulated


def unchanged(steps: int, length: int = 1) -> Difference:
    found = rate_difference([Pair(step // length, 1, 1) for step in range(steps)])
    assert found is not None
    return found


@pytest.mark.parametrize(("steps", "length", "margin"), [(17, 1, 0.02), (40, 4, 0.03), (3, 3, 0.1)])
def test_as_many_unchanged_steps_as_are_asked_for_are_enough_and_one_conversation_less_is_not(
    steps: int, length: int, margin: float
) -> None:
    needed = plan_items(unchanged(steps, length), SoughtVerdict(margin))
    assert needed is not None
    whole = -(-needed // length) * length
    assert decide_verdict(unchanged(whole, length), Criteria(margin=margin)) is Verdict.EQUIVALENT
    assert decide_verdict(unchanged(whole - length, length), Criteria(margin=margin)) is Verdict.UNDECIDED


def test_without_a_margin_no_number_of_unchanged_steps_decides() -> None:
    assert plan_items(unchanged(30), SoughtVerdict(0.0)) is None


def test_few_conversations_are_told_to_add_more_than_the_normal_distribution_says() -> None:
    few = rate_difference([Pair(n % 4, float(n % 5 > 0), float(n % 7 > 0)) for n in range(40)])
    many = rate_difference([Pair(n, float(n % 5 > 0), float(n % 7 > 0)) for n in range(40)])
    assert few is not None
    assert many is not None
    assert items_to_exclude(few, -0.1, SoughtVerdict(0.0)) != items_to_exclude(many, -0.1, SoughtVerdict(0.0))


def test_nothing_tells_a_loss_from_itself() -> None:
    found = rate_difference([Pair(n, 1, float(n > 1)) for n in range(100)])
    assert found is not None
    assert items_to_exclude(found, found.value, SoughtVerdict(0.0)) is None


def test_means_are_planned_by_their_variance() -> None:
    random = np.random.default_rng(3)
    noisy, steady = (
        mean_difference([Pair(n, 5.0, 5.3 + spread * random.normal()) for n in range(50)])
        for spread in (2.0, 0.5)
    )
    assert plan_items(noisy, SoughtVerdict(0.0)) > 4 * plan_items(steady, SoughtVerdict(0.0))


@pytest.mark.parametrize("clusters", [80, 300])
def test_a_loss_that_is_just_allowed_is_called_too_large_or_small_at_most_as_often_as_alpha(
    clusters: int,
) -> None:
    random, tries = np.random.default_rng(clusters), 300
    found = [
        judge_loss(rate_difference(simulated(random, clusters, better=0.02, worse=0.04)), 0.02)
        for _ in range(tries)
    ]
    assert found.count(Loss.LARGER) / tries <= 0.05 + 0.025
    assert found.count(Loss.SMALLER) / tries <= 0.05 + 0.025


def test_a_large_loss_fails_and_none_passes() -> None:
    random = np.random.default_rng(9)
    assert judge_loss(rate_difference(simulated(random, 400, better=0.01, worse=0.2)), 0.02) is Loss.LARGER
    assert judge_loss(rate_difference(simulated(random, 800, better=0.01, worse=0.01)), 0.02) is Loss.SMALLER
    assert judge_loss(rate_difference(simulated(random, 20, better=0.02, worse=0.02)), 0.02) is Loss.OPEN


def test_numbers_that_did_not_change_are_planned_by_how_far_they_spread() -> None:
    narrow, wide = (
        mean_difference([Pair(n, float(n % high), float(n % high)) for n in range(40)]) for high in (2, 20)
    )
    assert plan_items(wide, SoughtVerdict(0.1)) > 50 * plan_items(narrow, SoughtVerdict(0.1))


def test_advice_knows_that_lost_conversations_may_not_have_been_seen() -> None:
    found = rate_difference([Pair(step // 8, 1.0, float(step % 80 > 0)) for step in range(640)])
    assert found is not None
    assert found.changed == 8
    assert found.p > 0.05
    needed = plan_items(found, SoughtVerdict(0.0))
    assert needed is not None
    assert found.unseen.p((needed - 8) / found.n, 0.8) >= 0.05 > found.unseen.p(needed / found.n, 0.8)
    alone = plan_items(replace(found, unseen=Unseen()), SoughtVerdict(0.0))
    assert alone is not None
    assert needed > 1.3 * alone
    assert items_to_exclude(found, -0.001, SoughtVerdict(0.0)) > items_to_exclude(
        replace(found, unseen=Unseen()), -0.001, SoughtVerdict(0.0)
    )


def test_more_clusters_of_the_same_kind_are_needed_where_luck_must_not_matter() -> None:
    unseen = Unseen(12.0, 3.0, 2.0, 4.0)
    assert unseen.p(2.0) < unseen.p() < unseen.p(power=0.8) < unseen.p(power=0.9)


@pytest.mark.parametrize("loss", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("steps", [1, 4, 12])
def test_a_plan_asks_for_no_more_at_best_than_at_worst_or_with_more_samples(loss: float, steps: int) -> None:
    found = [size_comparison(Wish(loss), steps, 1.0, samples) for samples in (1, 3, 5)]
    assert all(one.low <= one.about <= one.high for one in found)
    assert found[0].about >= found[1].about >= found[2].about
