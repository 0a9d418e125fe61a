"""Looking after each batch saves calls and does not make errors more likely."""

from __future__ import annotations

import numpy as np

from du_eval.statistics.sequential import SequentialComparison, sign_evidence
from du_eval.statistics.significance import Pair
from du_eval.statistics.verdict import Criteria, Verdict
from tests.statistics.simulating import TIMES, simulated

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
    tries = 400 * TIMES
    found = [decided(simulated(random, BATCH * LOOKS, better=0.05, worse=0.05))[0] for _ in range(tries)]
    assert sum(verdict is not Verdict.UNDECIDED for verdict in found) / tries <= 0.05


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


def test_evidence_of_an_even_split_is_small_and_of_one_side_large() -> None:
    assert sign_evidence([1, -1] * 20)[0] < 1
    assert sign_evidence([1] * 10)[0] > 20
    assert sign_evidence([]) == (1.0, False)
