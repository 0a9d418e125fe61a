"""Paired statistics keep their promises: against SciPy, statsmodels, brute force and simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from du_eval.statistics.counts import Counts
from du_eval.statistics.difference import Difference, Pair, find_unseen
from du_eval.statistics.paired_f1 import f1_differences
from du_eval.statistics.paired_rates import rate_difference, score_interval
from du_eval.statistics.planning import RepeatedItem, SoughtVerdict, plan_items, plan_samples
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.significance import (
    adjust_p,
    cluster_sign_flip,
    draw_swaps,
    exact_mcnemar,
    find_p,
    step_down,
)
from du_eval.statistics.verdict import Criteria, Verdict, decide_verdict
from tests.statistics.simulating import TIMES, Dependence, simulated
from tests.statistics.simulating_runs import draw_skewed


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


def test_a_lead_counts_less_where_a_few_lost_conversations_would_take_it_back() -> None:
    from scipy.stats import poisson

    steps = [(1.0, 4)] * 6 + [(0.0, 4)] * 50
    assert cluster_sign_flip([total for total, _ in steps]) < 0.05
    assert find_unseen(steps).p() == pytest.approx(2 * poisson.cdf(1, 6 / (0.45 * 4)))
    seen = [*steps, *steps, (-1.0, 4), (-3.0, 4)]
    assert find_unseen(seen).p() == pytest.approx(2 * poisson.cdf(3, 12 / ((4 + 0.45 * 4) / 3)))


def test_a_lost_conversation_is_as_long_as_those_that_most_steps_belong_to() -> None:
    assert find_unseen([(1.0, 2), (0.0, 6)]).size == pytest.approx(5)


def test_it_is_nearly_as_long_as_the_longest_where_a_few_are_far_longer_than_most() -> None:
    changed = [(1.0, 4)] * 20
    assert find_unseen([*changed, *[(0.0, 4)] * 79, (0.0, 40)]).size == pytest.approx(34.6, abs=0.1)
    assert find_unseen([*changed, *[(0.0, 4)] * 80]).p() < 0.05 < find_unseen([*changed, (0.0, 40)]).p()
    assert find_unseen([(1.0, length) for length in range(1, 7)]).size == pytest.approx(91 / 21)


def test_it_is_the_same_for_gains_and_losses_and_for_changes_of_any_size() -> None:
    clusters = [(2.0, 3), (1.0, 3), (1.0, 5), (-1.0, 2)]
    mirrored = [(-total, size) for total, size in clusters]
    smaller = [(total / 8, size) for total, size in clusters]
    p = find_unseen(clusters).p()
    assert find_unseen(mirrored).p() == p == pytest.approx(find_unseen(smaller, 1 / 8).p())
    assert 0 < p < 1


def test_conversations_of_one_step_keep_the_exact_test() -> None:
    pairs = [Pair(number, 1.0, float(number >= 6)) for number in range(40)]
    assert find_p(pairs)[0] == exact_mcnemar(0, 6) == 2 / 64


def test_without_a_change_no_conversation_is_expected_to_take_it_back() -> None:
    assert find_unseen([]).p() == 0.0
    assert find_p([Pair(number // 2, 1.0, 1.0) for number in range(8)])[0] == 1.0


@pytest.mark.parametrize("clusters", [60, 120])
def test_runs_that_are_equal_on_average_and_not_alike_are_seldom_called_different(clusters: int) -> None:
    random, tries = np.random.default_rng(19), 500 * TIMES
    called = sum(find_p(draw_skewed(random, clusters))[0] < 0.05 for _ in range(tries))
    assert called / tries <= 0.05 + 0.019


def by_maximum_likelihood(difference: float, better: int, worse: int, n: int) -> float:
    """Return the score statistic by its definition: the nuisance share maximises the likelihood."""
    from scipy.optimize import minimize_scalar

    def minus_likelihood(down: float) -> float:
        up, same = down + difference, 1 - 2 * down - difference
        terms = ((better, up), (worse, down), (n - better - worse, same))
        return -sum(count * np.log(max(share, 1e-300)) for count, share in terms if count)

    low, high = max(0.0, -difference), (1 - difference) / 2
    found = minimize_scalar(minus_likelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-12})
    down = found.x
    return float((better - worse - n * difference) / np.sqrt(n * (2 * down + difference - difference**2)))


@pytest.mark.parametrize(("better", "worse", "n"), [(9, 2, 60), (1, 5, 40), (3, 3, 300), (30, 12, 90)])
def test_the_ends_of_the_interval_are_where_the_score_test_rejects(better: int, worse: int, n: int) -> None:
    found = score_interval(better, worse, n, 1.96)
    assert by_maximum_likelihood(found.low, better, worse, n) == pytest.approx(1.96, abs=1e-3)
    assert by_maximum_likelihood(found.high, better, worse, n) == pytest.approx(-1.96, abs=1e-3)


def test_the_interval_of_no_change_is_the_bound_of_the_score_test() -> None:
    found = score_interval(0, 0, 200, 1.96)
    assert found.high == pytest.approx(1.96**2 / (200 + 1.96**2), abs=1e-9)
    assert found.low == pytest.approx(-found.high)
    assert (score_interval(0, 0, 0, 1.96).low, score_interval(0, 0, 0, 1.96).high) == (-1, 1)


def test_conversations_without_a_change_tell_one_thing_each() -> None:
    together = rate_difference([Pair(n // 5, 1, 1) for n in range(500)])
    apart = rate_difference([Pair(n, 1, 1) for n in range(100)])
    assert together is not None
    assert apart is not None
    assert together.design_effect == 5
    assert together.interval == apart.interval


def test_a_loss_of_whole_conversations_lies_in_the_interval_also_when_none_shows_it() -> None:
    random = np.random.default_rng(7)
    tries, hits = 400, 0
    for _ in range(tries):
        pairs = simulated(random, 80, better=0.02, worse=0.0, dependence=Dependence.STRONG)
        found = rate_difference(pairs)
        assert found is not None
        hits += found.interval.low <= 0.02 <= found.interval.high
    assert hits / tries >= 0.93


@pytest.mark.parametrize("share", [1 / 3, 2 / 3, 0.1])
def test_changes_by_the_same_share_everywhere_keep_an_interval_of_some_width(share: float) -> None:
    found = rate_difference([Pair(number, 1, 1 - share) for number in range(10)])
    assert found is not None
    assert 2 * -share < found.interval.low < -share < found.interval.high < 0


COVERAGE = [
    (80, 0.05, 0.02, 0.975),
    (80, 0.01, 0.03, 0.975),
    (80, 0.03, 0.03, 0.995),
    (300, 0.005, 0.005, 0.998),
    (15, 0.1, 0.02, 0.995),
    (40, 0.05, 0.05, 0.99),
]


@pytest.mark.parametrize(("clusters", "better", "worse", "most"), COVERAGE)
def test_the_interval_covers_the_truth_as_often_as_it_says(
    clusters: int, better: float, worse: float, most: float
) -> None:
    random = np.random.default_rng(7)
    truth, hits, tries = better - worse, 0, 500 * TIMES
    for _ in range(tries):
        found = rate_difference(simulated(random, clusters, better=better, worse=worse))
        assert found is not None
        hits += found.interval.low <= truth <= found.interval.high
    assert 0.93 <= hits / tries <= most


def test_equal_runs_are_called_different_at_most_as_often_as_alpha() -> None:
    random = np.random.default_rng(11)
    tries = 1000 * TIMES
    found = [rate_difference(simulated(random, 60, better=0.06, worse=0.06)) for _ in range(tries)]
    assert sum(one.p < 0.05 for one in found if one) / tries <= 0.05 + 0.014


def test_runs_that_differ_by_the_margin_are_called_equivalent_at_most_as_often_as_alpha() -> None:
    random = np.random.default_rng(13)
    tries, criteria = 300 * TIMES, Criteria(margin=0.02)
    found = [rate_difference(simulated(random, 300, better=0.03, worse=0.01)) for _ in range(tries)]
    called = [decide_verdict(one, criteria) is Verdict.EQUIVALENT for one in found if one]
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
    assert decide_verdict(few, Criteria()) is Verdict.UNDECIDED
    assert decide_verdict(many, Criteria()) is Verdict.EQUIVALENT


def test_as_many_steps_as_are_asked_for_decide_in_most_cases() -> None:
    random = np.random.default_rng(17)
    first = rate_difference(simulated(random, 60, better=0.06, worse=0.02))
    assert first is not None
    needed = plan_items(first, SoughtVerdict(0.0))
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
    tries, wrong, covered = 300 * TIMES, 0, 0
    for seed in range(tries):
        before, after = clusters(random, 50, 0.8), clusters(random, 50, 0.8)
        found = f1_differences(before, after, Resampling(300, seed)).commands["set slot"]
        assert found.p is not None
        assert found.interval is not None
        wrong += found.p < 0.05
        covered += found.interval.low <= 0 <= found.interval.high
    assert wrong / tries <= 0.05 + 0.025
    assert 0.91 <= covered / tries <= 0.98


def test_a_command_that_is_never_right_nor_wrong_has_no_difference() -> None:
    found = f1_differences([{"a": Counts()}, {}], [{"a": Counts()}, {}]).commands["a"]
    assert found.value is None
    assert found.p is None


def test_a_command_that_never_changed_has_an_interval_that_shrinks_with_the_data() -> None:
    widths = []
    for count in (20, 200, 2000):
        cases = [{"a": Counts(1, 0, 0, 1)} for _ in range(count)]
        interval = f1_differences(cases, cases).commands["a"].interval
        assert interval is not None
        assert interval.low < 0 < interval.high
        widths.append(interval.high - interval.low)
    assert widths[0] > 5 * widths[1] > 25 * widths[2]


@pytest.mark.parametrize("steps", [1, 6])
def test_a_rare_loss_lies_in_the_interval_of_f1_also_when_few_conversations_show_it(steps: int) -> None:
    random = np.random.default_rng(5)
    tries, covered = 200 * TIMES, 0
    truth = 2 * 0.98 / (2 * 0.98 + 0.02) - 1
    for seed in range(tries):
        lost = random.random(60) < 0.02
        before = [{"a": Counts(steps, 0, 0, steps)} for _ in lost]
        after = [{"a": Counts(steps * (not one), 0, steps * int(one), steps)} for one in lost]
        found = f1_differences(before, after, Resampling(300, seed))
        for change in (found.commands["a"], *found.averages.values()):
            assert change.interval is not None
            covered += change.interval.low <= truth <= change.interval.high
    assert covered / tries / 3 >= 0.93


def repeated(random: np.random.Generator, items: int, times: int) -> list[RepeatedItem]:
    """Return items of which each is right with a chance of its own, a little less so in the second run."""
    found = []
    for chance in random.uniform(0.3, 0.9, items):
        before, after = random.binomial(times, chance), random.binomial(times, chance - 0.1)
        found.append(RepeatedItem(before / times, after / times, (times, times)))
    return found


def test_as_many_samples_as_are_asked_for_tell_as_much_as_more_items() -> None:
    random = np.random.default_rng(11)
    items = repeated(random, 400, 3)
    wanted = plan_samples(items, 800)
    assert wanted is not None

    def spread(count: int, times: int) -> float:
        means = [
            np.mean([one.after - one.before for one in repeated(random, count, times)]) for _ in range(60)
        ]
        return float(np.std(means))

    assert spread(400, wanted) == pytest.approx(spread(800, 3), rel=0.35)
    assert 5 <= wanted <= 7


def test_samples_cannot_replace_items_where_answers_never_vary() -> None:
    fixed = [RepeatedItem(1.0, float(number % 2), (3, 3)) for number in range(20)]
    assert plan_samples(fixed, 40) is None
    assert plan_samples([RepeatedItem(1.0, 0.0, (1, 1))] * 5, 40) is None


def test_a_few_conversations_far_longer_than_most_make_a_difference_uneven() -> None:
    def find(longest: int) -> Difference | None:
        lengths = [4] * 60 + [longest]
        return rate_difference(
            [Pair(c, 1.0, float(s > 0)) for c, size in enumerate(lengths) for s in range(size)]
        )

    is_uneven = {longest: found.is_uneven for longest in (4, 12, 60) if (found := find(longest))}
    assert is_uneven == {4: False, 12: False, 60: True}


def test_thousands_of_clusters_are_corrected_as_swaps_would_do_it() -> None:
    random = np.random.default_rng(3)
    common = random.standard_normal(3000)
    table = np.column_stack([common + random.standard_normal(3000) + shift for shift in (0.0, 0.03, 0.05)])
    swapped = (1 - 2 * draw_swaps(3000, Resampling(4000))[0]) @ table
    spread = np.sqrt(np.square(table).sum(axis=0))
    expected = step_down(table.sum(axis=0), swapped, spread, is_all=False)
    found = adjust_p([dict(enumerate(column)) for column in table.T.tolist()], Resampling(4000))
    assert found == pytest.approx(expected, abs=0.03)
    assert 0.001 < min(expected) < 0.2 < max(expected)
