"""Nothing that data can be makes arithmetic fail: one conversation, all equal, all changed, shares, nothing."""

from __future__ import annotations

from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.counts import Counts, LostSteps, bound_averages, pool_counts
from du_eval.statistics.difference import Difference, Pair, agree
from du_eval.statistics.f1 import F1Intervals, f1_intervals
from du_eval.statistics.intervals import Interval
from du_eval.statistics.paired_f1 import f1_differences
from du_eval.statistics.paired_means import clustered_mean, mean_difference
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.planning import SoughtVerdict, items_to_exclude, plan_items
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.sequential import SequentialComparison
from du_eval.statistics.success import chances_over_k
from du_eval.statistics.verdict import Criteria, Verdict, decide_verdict

SHARES = st.sampled_from([0.0, 1 / 3, 0.5, 0.9, 1.0])
PAIRS = st.lists(st.builds(Pair, st.integers(0, 4), SHARES, SHARES), min_size=1, max_size=12)


def check(found: Difference, largest: float) -> None:
    for interval in (found.interval, found.narrow):
        assert isfinite(interval.low)
        assert isfinite(interval.high)
        assert interval.low <= interval.high
    assert found.interval.low - 1e-9 <= found.narrow.low <= found.narrow.high <= found.interval.high + 1e-9
    assert 0 <= found.p <= 1
    assert abs(found.value) <= largest
    is_without_zero = found.interval.low > 0 or found.interval.high < 0
    assert is_without_zero == (found.p < 0.05)
    for wanted in (SoughtVerdict(0.02), SoughtVerdict(0.0), SoughtVerdict(0.9)):
        for needed in (plan_items(found, wanted), items_to_exclude(found, -0.02, wanted)):
            assert needed is None or needed > found.n


@given(PAIRS)
@settings(deadline=None, max_examples=300)
def test_any_pairs_of_rates_have_a_difference(pairs: list[Pair]) -> None:
    found = rate_difference(pairs)
    assert found is not None
    check(found, 1.0)
    assert found.interval.low >= -1
    assert found.interval.high <= 1


@given(PAIRS, st.floats(0.001, 1000))
@settings(deadline=None, max_examples=150)
def test_any_pairs_of_numbers_have_a_difference(pairs: list[Pair], scale: float) -> None:
    scaled = [Pair(pair.cluster, scale * pair.before, scale * pair.after) for pair in pairs]
    found = mean_difference(scaled)
    assert found is not None
    check(found, scale)


@pytest.mark.parametrize("change", [(0.0, 1.0), (1.0, 0.0), (0.5, 1.0), (0.25, 0.75)])
@pytest.mark.parametrize("conversations", [1, 2, 7, 30])
def test_conversations_that_all_change_alike_have_an_interval_with_a_width(
    conversations: int, change: tuple[float, float]
) -> None:
    found = rate_difference([Pair(n // 4, *change) for n in range(4 * conversations)])
    assert found is not None
    assert found.design_effect > 0
    assert found.interval.width > 0
    assert found.interval.low <= found.value <= found.interval.high


def test_whole_conversations_that_change_are_one_change_each() -> None:
    together = rate_difference([Pair(n // 10, 0, 1) for n in range(100)])
    apart = rate_difference([Pair(n, 0, 1) for n in range(10)])
    assert together is not None
    assert apart is not None
    assert together.interval.low == pytest.approx(apart.interval.low)


COUNTS = st.builds(Counts, st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 4))
CASE = st.dictionaries(st.sampled_from("ab"), COUNTS, max_size=2)


@given(st.lists(st.tuples(CASE, CASE), max_size=5))
@settings(deadline=None, max_examples=100)
def test_any_counts_have_f1_differences_or_none(
    cases: list[tuple[dict[str, Counts], dict[str, Counts]]],
) -> None:
    found = f1_differences([one for one, _ in cases], [other for _, other in cases], Resampling(64))
    for change in (*found.commands.values(), *found.averages.values()):
        assert (change.found is None) == (change.value is None)
        if change.found:
            assert -1 <= change.found.interval.low <= change.found.interval.high <= 1
            assert change.adjusted_p is None or change.adjusted_p >= change.found.p - 1e-9


@given(st.lists(PAIRS, min_size=1, max_size=4))
@settings(deadline=None, max_examples=40)
def test_any_batches_have_a_verdict(batches: list[list[Pair]]) -> None:
    comparison = SequentialComparison(Criteria(margin=0.05), 3)
    for number, batch in enumerate(batches):
        look = comparison.add([Pair(pair.cluster + 100 * number, pair.before, pair.after) for pair in batch])
        assert look.verdict in set(Verdict)
    assert look.items == sum(map(len, batches))


def test_nothing_in_common_is_no_difference() -> None:
    assert rate_difference([]) is None
    assert mean_difference([]) is None
    assert f1_differences([], []).commands == {}


@pytest.mark.parametrize("cases", [[], [{}], [{}, {"a": Counts()}]])
def test_conversations_without_a_judged_step_have_no_figures(cases: list[dict[str, Counts]]) -> None:
    assert f1_intervals(cases) == F1Intervals()
    assert clustered_mean([[] for _ in cases]).value is None
    assert clustered_proportion([(0, 0) for _ in cases]).interval is None
    assert chances_over_k([[None, None] for _ in cases]).by_k == ()
    worst, best = bound_averages(pool_counts(cases), LostSteps({"a": 2}, 2))
    assert (worst.micro, best.micro) == (0.0, 1.0)


def test_an_interval_holds_zero_exactly_where_the_test_does_not_reject_it() -> None:
    assert agree(Interval(0.01, 0.2), 0.06, 0.05, is_gain=True) == Interval(0.0, 0.2)
    assert agree(Interval(-0.2, -0.01), 0.06, 0.05, is_gain=False) == Interval(-0.2, 0.0)
    assert agree(Interval(-0.01, 0.2), 0.04, 0.05, is_gain=True).low > 0
    assert agree(Interval(-0.2, 0.01), 0.04, 0.05, is_gain=False).high < 0
    assert agree(Interval(0.1, 0.2), 0.04, 0.05, is_gain=True) == Interval(0.1, 0.2)


def test_a_proven_difference_is_one_whose_interval_excludes_zero() -> None:
    for changed in range(1, 12):
        found = rate_difference([Pair(n, 1, float(n >= changed)) for n in range(200)])
        assert found is not None
        is_proven = decide_verdict(found, Criteria(margin=0.0)) is Verdict.REGRESSED
        assert is_proven == (found.interval.high < 0) == (changed >= 6)
