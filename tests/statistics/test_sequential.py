"""Looking after each batch saves calls and does not make errors more likely."""

from __future__ import annotations

import numpy as np
import pytest

from du_eval.statistics.difference import Pair
from du_eval.statistics.sequential import SequentialComparison, find_boundary, plan_levels, spend
from du_eval.statistics.verdict import Criteria, Verdict
from tests.statistics.simulating import TIMES, simulated
from tests.statistics.simulating_runs import draw_skewed

BATCH, LOOKS = 20, 15


def decided(pairs: list[Pair], margin: float = 0.0) -> tuple[Verdict, int]:
    comparison = SequentialComparison(Criteria(margin=margin), LOOKS)
    for batch in range(LOOKS):
        wanted = range(batch * BATCH, (batch + 1) * BATCH)
        look = comparison.add([pair for pair in pairs if pair.cluster in wanted])
        if look.verdict is not Verdict.UNDECIDED:
            break
    return look.verdict, look.items


def test_equal_runs_are_called_different_at_most_as_often_as_alpha() -> None:
    random = np.random.default_rng(1)
    tries = 200 * TIMES
    found = [decided(simulated(random, BATCH * LOOKS, better=0.05, worse=0.05))[0] for _ in range(tries)]
    assert sum(verdict is not Verdict.UNDECIDED for verdict in found) / tries <= 0.05 + 0.01


def test_a_clear_difference_is_found_with_less_than_half_of_the_calls() -> None:
    random = np.random.default_rng(2)
    used, right, tries = 0.0, 0, 100 * TIMES
    for _ in range(tries):
        pairs = simulated(random, BATCH * LOOKS, better=0.02, worse=0.12)
        verdict, items = decided(pairs)
        right += verdict is Verdict.REGRESSED
        used += items / len(pairs) / tries
    assert right / tries >= 0.95
    assert used < 0.5


def test_runs_that_differ_by_the_margin_are_called_equivalent_at_most_as_often_as_alpha() -> None:
    random = np.random.default_rng(3)
    tries = 150 * TIMES
    found = [
        decided(simulated(random, BATCH * LOOKS, better=0.035, worse=0.005), 0.03)[0] for _ in range(tries)
    ]
    assert found.count(Verdict.EQUIVALENT) / tries <= 0.05


def test_equal_runs_are_found_equivalent_before_the_end() -> None:
    random = np.random.default_rng(4)
    pairs = simulated(random, BATCH * LOOKS, better=0.002, worse=0.002)
    verdict, items = decided(pairs, 0.05)
    assert verdict is Verdict.EQUIVALENT
    assert items < 2 / 3 * len(pairs)


def test_a_change_that_helps_many_and_hurts_few_is_no_difference_if_it_evens_out() -> None:
    """Half of the conversations gain one step, a tenth loses five."""
    random = np.random.default_rng(5)
    tries, called = 100 * TIMES, 0
    for _ in range(tries):
        pairs: list[Pair] = []
        for cluster, kind in enumerate(random.random(BATCH * LOOKS)):
            gained, lost = int(kind < 0.5), 5 * int(0.5 <= kind < 0.6)
            changed = [Pair(cluster, 0, 1)] * gained + [Pair(cluster, 1, 0)] * lost
            pairs += changed + [Pair(cluster, 1, 1)] * (5 - len(changed))
        called += decided(pairs)[0] is not Verdict.UNDECIDED
    assert called / tries <= 0.08


@pytest.mark.parametrize(("steps", "lost"), [(4, 0.03), (8, 0.015)])
def test_a_lucky_start_decides_nothing_while_the_lost_conversations_may_be_still_to_come(
    steps: int, lost: float
) -> None:
    random, tries = np.random.default_rng(8), 120 * TIMES
    found = [decided(draw_skewed(random, BATCH * LOOKS, steps, lost))[0] for _ in range(tries)]
    assert sum(verdict is not Verdict.UNDECIDED for verdict in found) / tries <= 0.05 + 0.025


def test_a_loss_of_five_points_is_found_in_most_runs_of_three_hundred_conversations() -> None:
    random = np.random.default_rng(6)
    found = [decided(simulated(random, BATCH * LOOKS, better=0.02, worse=0.07))[0] for _ in range(60)]
    assert found.count(Verdict.REGRESSED) >= 54


def test_little_is_spent_at_first_and_everything_at_the_end() -> None:
    assert spend(0.05, 1.0) == pytest.approx(0.05)
    assert spend(0.05, 0.2) < 1e-4 < spend(0.05, 0.5) < 0.01


def test_the_boundary_lets_as_many_paths_stop_as_are_planned() -> None:
    reached, is_going = np.arange(1000.0), np.ones(1000, bool)
    assert find_boundary(reached, is_going, 0.05) == 950
    is_going[990:] = False
    assert find_boundary(reached, is_going, 0.05) == 950
    assert find_boundary(reached, is_going, 0.01) == np.inf
    assert find_boundary(np.zeros(1000), np.ones(1000, bool), 0.05) == np.inf


def test_one_look_is_the_plain_test_and_many_share_its_level() -> None:
    assert plan_levels(0.05, 1)[0] == pytest.approx(0.05, abs=0.002)
    levels = plan_levels(0.05, 10)
    assert list(levels) == sorted(levels)
    assert 0.03 < levels[-1] < 0.05


def test_a_batch_without_a_change_decides_nothing() -> None:
    comparison = SequentialComparison(Criteria(margin=0.0), 2)
    for cluster in range(3):
        look = comparison.add([Pair(cluster, 1, 1)])
        assert (look.verdict, look.statistic) == (Verdict.UNDECIDED, 0.0)
    assert comparison.add([]).verdict is Verdict.UNDECIDED


def test_an_early_look_needs_more_for_equivalence_than_a_late_one() -> None:
    comparison = SequentialComparison(Criteria(margin=0.05), 3)
    early, later = ([Pair(start + number, 1, 1) for number in range(150)] for start in (0, 150))
    assert comparison.add(early).verdict is Verdict.UNDECIDED
    assert comparison.add(later).verdict is Verdict.EQUIVALENT
