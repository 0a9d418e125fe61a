"""Paired statistics keep their promises: against SciPy, statsmodels, brute force and simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from du_eval.statistics.counts import Counts
from du_eval.statistics.quantiles import t_quantile
from du_eval.statistics.significance import (
    Pair,
    cluster_sign_flip,
    exact_mcnemar,
    holm,
    items_needed,
    rate_difference,
)
from du_eval.statistics.significance_f1 import Resampling, f1_differences
from du_eval.statistics.verdict import Criteria, Verdict, verdict_of
from tests.statistics.simulating import simulated


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (1, 0), (5, 5), (9, 1), (40, 20), (900, 800)])
def test_mcnemar_is_the_binomial_test_of_scipy(better: int, worse: int) -> None:
    from scipy.stats import binomtest

    expected = binomtest(better, better + worse).pvalue if better + worse else 1.0
    assert exact_mcnemar(better, worse) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(("better", "worse"), [(7, 2), (30, 12)])
def test_mcnemar_is_the_one_of_statsmodels(better: int, worse: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    expected = mcnemar([[50, better], [worse, 50]], exact=True).pvalue
    assert exact_mcnemar(better, worse) == pytest.approx(expected)


def test_the_sign_flip_counts_every_swap() -> None:
    sums = [3, -1, 2, 2, -2, 1]
    observed = abs(sum(sums))
    flips = [
        abs(sum(s * abs(v) for s, v in zip(signs, sums, strict=True))) for signs in product((-1, 1), repeat=6)
    ]
    assert cluster_sign_flip(sums) == pytest.approx(sum(flip >= observed for flip in flips) / 64)


def test_the_sign_flip_of_single_changes_is_mcnemar() -> None:
    assert cluster_sign_flip([1] * 12 + [-1] * 4 + [0] * 50) == pytest.approx(exact_mcnemar(12, 4))


def test_swaps_of_fractions_are_drawn_and_agree_with_counting() -> None:
    sums = [0.5, -0.5, 1.5, 1.0, 0.5, 0.5, -1.0, 1.5]
    drawn = cluster_sign_flip(sums, resamples=20_000)
    assert drawn == pytest.approx(cluster_sign_flip([round(2 * value) for value in sums]), abs=0.02)


def test_nothing_changed_means_no_evidence() -> None:
    assert cluster_sign_flip([0, 0]) == 1.0


def test_holm_is_the_one_of_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    values = [0.01, 0.04, 0.03, 0.005, 0.8]
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1].tolist())
    assert holm([]) == []


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 10, 30, 200])
@pytest.mark.parametrize("share", [0.05, 0.9, 0.95, 0.975, 0.995])
def test_quantiles_are_those_of_scipy(share: float, degrees: int) -> None:
    from scipy.stats import t

    assert t_quantile(share, degrees) == pytest.approx(t.ppf(share, degrees), rel=0.02)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(7)
    truth, hits, tries = 0.05 - 0.02, 0, 1000
    for _ in range(tries):
        found = rate_difference(simulated(random, 80, better=0.05, worse=0.02))
        assert found is not None
        hits += found.interval.low <= truth <= found.interval.high
    assert 0.93 <= hits / tries <= 0.975


def test_equal_runs_are_called_different_at_most_as_often_as_alpha() -> None:
    random = np.random.default_rng(11)
    tries = 1000
    found = [rate_difference(simulated(random, 60, better=0.06, worse=0.06)) for _ in range(tries)]
    assert sum(one.p < 0.05 for one in found if one) / tries <= 0.05 + 0.014


def test_runs_that_differ_by_the_margin_are_called_equivalent_at_most_as_often_as_alpha() -> None:
    random = np.random.default_rng(13)
    tries, criteria = 300, Criteria(margin=0.02)
    found = [rate_difference(simulated(random, 300, better=0.03, worse=0.01)) for _ in range(tries)]
    called = [verdict_of(one, criteria) is Verdict.EQUIVALENT for one in found if one]
    assert sum(called) / tries <= 0.05 + 0.025


def test_steps_of_one_conversation_count_less_than_steps_of_many() -> None:
    together = rate_difference([Pair(0, 0, 1)] * 8 + [Pair(n, 1, 1) for n in range(1, 40)])
    apart = rate_difference([Pair(n, 0, 1) for n in range(8)] + [Pair(n, 1, 1) for n in range(8, 47)])
    assert together is not None
    assert apart is not None
    assert together.p == 1.0
    assert apart.p == pytest.approx(2 / 2**8)
    assert together.design_effect > 2


def test_no_change_in_few_steps_is_undecided_and_in_many_it_is_equivalent() -> None:
    few = rate_difference([Pair(n, 1, 1) for n in range(30)])
    many = rate_difference([Pair(n, 1, 1) for n in range(1000)])
    assert few is not None
    assert many is not None
    assert verdict_of(few, Criteria()) is Verdict.UNDECIDED
    assert verdict_of(many, Criteria()) is Verdict.EQUIVALENT


def test_as_many_steps_as_are_asked_for_decide_in_most_cases() -> None:
    random = np.random.default_rng(17)
    first = rate_difference(simulated(random, 60, better=0.06, worse=0.02))
    assert first is not None
    needed = items_needed(first, margin=0.0)
    assert needed is not None
    decided = 0
    for _ in range(100):
        scaled = int(needed / 3.5)
        found = rate_difference(
            simulated(random, scaled, better=first.better / first.n, worse=first.worse / first.n)
        )
        decided += bool(found and found.p < 0.05)
    assert decided >= 65


def clusters(random: np.random.Generator, count: int, accuracy: float) -> list[dict[str, Counts]]:
    found = []
    for _ in range(count):
        size = int(random.integers(1, 5))
        hits = int(random.binomial(size, accuracy))
        found.append({"set slot": Counts(hits, size - hits, size - hits, size)})
    return found


def test_equal_f1_scores_are_called_different_at_most_as_often_as_alpha() -> None:
    random = np.random.default_rng(3)
    tries, wrong, covered = 300, 0, 0
    for seed in range(tries):
        before, after = clusters(random, 50, 0.8), clusters(random, 50, 0.8)
        found = f1_differences(before, after, Resampling(300, seed))["set slot"]
        assert found.p is not None
        assert found.interval is not None
        wrong += found.p < 0.05
        covered += found.interval.low <= 0 <= found.interval.high
    assert wrong / tries <= 0.05 + 0.025
    assert 0.91 <= covered / tries <= 0.98


def test_a_command_that_is_never_right_nor_wrong_has_no_difference() -> None:
    found = f1_differences([{"a": Counts()}, {}], [{"a": Counts()}, {}])["a"]
    assert found.value is None
    assert found.p is None
