"""95 % intervals of clustered rates hold the truth, also with few clusters, few failures and many samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.statistics.clusters import clustered_interval, clustered_proportion, proportion
from du_eval.statistics.intervals import Interval, wilson, wilson_at
from du_eval.statistics.quantiles import t_quantile
from tests.statistics.simulating_rates import Model, Setting, draw_runs

RUNS = 1000
STEPS, REPLIES = (1, 8), (40, 40)
HARD = [
    Setting(Model.BETA, 10, REPLIES, 0.98, 0.1),
    Setting(Model.BETA, 10, REPLIES, 0.98, 0.6),
    Setting(Model.BETA, 20, REPLIES, 0.95, 0.9),
    Setting(Model.BETA, 40, REPLIES, 0.95, 0.6),
    Setting(Model.BETA, 80, STEPS, 0.98, 0.9),
    Setting(Model.BETA, 20, STEPS, 0.95, 0.9),
    Setting(Model.BETA, 20, STEPS, 0.8, 0.0),
    Setting(Model.BETA, 300, STEPS, 0.99, 0.6),
    Setting(Model.LOGIT, 80, STEPS, 0.95, 0.9),
    Setting(Model.LENGTH, 20, STEPS, 0.95, 0.6),
    Setting(Model.REPEATS, 10, (1, 4), 0.95, 0.3, 10),
    Setting(Model.REPEATS, 40, (1, 1), 0.8, 0.1, 10),
    Setting(Model.BETA, 3, STEPS, 0.8, 0.6),
    Setting(Model.BETA, 6, (1, 1), 0.97, 0.0),
    Setting(Model.BETA, 10, REPLIES, 0.99, 0.9),
    Setting(Model.TAIL, 60, STEPS, 0.9, 0.4),
    Setting(Model.LOGIT, 30, STEPS, 0.9, 0.5, lost=0.2),
    Setting(Model.WHOLE, 12, STEPS, 0.9, 0.5),
    Setting(Model.KINDS, 9, (3, 12), 0.85, 0.6),
    Setting(Model.CHATTY, 15, STEPS, 0.9, 0.4),
    Setting(Model.ENDING, 15, STEPS, 0.9, 0.3),
]


@pytest.mark.parametrize("setting", HARD, ids=str)
def test_intervals_hold_the_truth(setting: Setting) -> None:
    drawn = draw_runs(setting, RUNS, np.random.default_rng(1))
    found = [
        clustered_interval(list(zip(*run, strict=True)))
        for run in zip(drawn.successes.tolist(), drawn.attempts.tolist(), strict=True)
    ]
    assert sum(one.low <= drawn.truth <= one.high for one in found) / RUNS >= 0.925


def test_steps_that_fail_one_by_one_cost_little_width() -> None:
    drawn = draw_runs(Setting(Model.BETA, 80, STEPS, 0.9, 0.0), 200, np.random.default_rng(2))
    ratios = []
    for good, attempts in zip(drawn.successes.tolist(), drawn.attempts.tolist(), strict=True):
        plain = wilson(sum(good), sum(attempts))
        ratios.append(clustered_interval(list(zip(good, attempts, strict=True))).width / plain.width)
    assert sum(ratios) / len(ratios) < 1.2


def test_attempts_that_agree_within_clusters_widen_the_interval() -> None:
    scattered = clustered_proportion([(2, 5), (3, 5)] * 10)
    together = clustered_proportion([(5, 5), (0, 5)] * 10)
    assert scattered.value == together.value == 0.5
    assert scattered.interval.width < 1.1 * proportion(50, 100).interval.width
    assert together.interval.width > 1.9 * scattered.interval.width


def test_clusters_that_agree_completely_count_as_one_attempt_each() -> None:
    found = clustered_interval([(5, 5), (0, 5)] * 50)
    assert found.width == pytest.approx(wilson(50, 100).width, rel=0.05)


def test_samples_of_an_answer_that_never_changes_tell_nothing_new() -> None:
    once = clustered_interval([(1, 1)] * 30 + [(0, 1)] * 8)
    ten_times = clustered_interval([(10, 10)] * 30 + [(0, 10)] * 8)
    assert ten_times.width == pytest.approx(once.width, rel=0.08)


def test_a_perfect_suite_stays_as_unsure_when_it_is_sampled_ten_times() -> None:
    once = clustered_interval([(4, 4)] * 5)
    ten_times = clustered_interval([(40, 40)] * 5)
    assert ten_times.low == pytest.approx(once.low, abs=1e-9)
    assert ten_times.high == 1.0


def test_failures_in_one_conversation_are_trusted_less_than_failures_in_many() -> None:
    one = clustered_interval([(0, 8)] + [(8, 8)] * 19)
    many = clustered_interval([(7, 8)] * 8 + [(8, 8)] * 12)
    assert one.width > 2 * many.width


def test_failures_that_are_spread_evenly_still_leave_room_for_a_conversation_that_fails_as_a_whole() -> None:
    each = clustered_interval([(38, 40)] * 10)
    assert 0.83 < each.low < 0.87
    assert each.width < 0.8 * clustered_interval([(40, 40)] * 9 + [(20, 40)]).width


@pytest.mark.parametrize(("count", "low"), [(1, 0.04), (2, 0.2), (3, 0.342), (10, 0.7248)])
def test_conversations_that_are_all_right_count_as_one_attempt_each(count: int, low: float) -> None:
    assert clustered_interval([(20, 20)] * count) == Interval(pytest.approx(low, abs=1e-3), 1.0)
    assert clustered_interval([(0, 20)] * count) == Interval(0.0, pytest.approx(1 - low, abs=1e-3))


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_where_all_attempts_agree_the_interval_ends_where_that_is_just_likely_enough(
    confidence: float,
) -> None:
    low = clustered_interval([(4, 4)] * 12, confidence).low
    assert low**12 == pytest.approx(0.8 * (1 - confidence))


@pytest.mark.parametrize(
    ("clusters", "low", "high"),
    [
        ([(9, 10), (7, 10)] * 6, 0.713156, 0.865510),
        ([(4, 4)] * 9 + [(1, 4)], 0.630822, 0.997000),
        ([(40, 40)] * 9 + [(35, 40)], 0.724780, 0.999602),
        ([(0, 3)] * 8 + [(2, 3)] * 2, 0.028531, 0.408232),
        ([(1, 2), (30, 60), (3, 4)] * 3, 0.343196, 0.683593),
        ([(1, 4), (3, 4)] * 5, 0.330676, 0.669324),
    ],
)
def test_intervals_are_those_of_a_second_implementation(clusters, low: float, high: float) -> None:
    assert clustered_interval(clusters) == Interval(
        pytest.approx(low, abs=2e-6), pytest.approx(high, abs=2e-6)
    )


def test_without_a_failure_uneven_lengths_leave_room_for_long_conversations_that_fail() -> None:
    uneven = clustered_interval([(1, 1), (8, 8)] * 5)
    assert uneven.low == pytest.approx(0.04 ** ((8 / 4.5) ** 0.8 / 10))
    assert uneven.low < clustered_interval([(4, 4)] * 10).low


def test_a_short_conversation_that_fails_leaves_as_much_room_as_none() -> None:
    rest = [(4, 4)] * 60 + [(8, 8)] * 4
    one, none = clustered_interval([(0, 1), *rest]), clustered_interval([(1, 1), *rest])
    two = clustered_interval([(0, 1), (0, 1), *rest[1:]])
    assert one.low == pytest.approx(none.low) != wilson(271, 273).low
    assert two.low < 1 - (1 - none.low) / 2 + 1e-3


def test_one_conversation_that_fails_leaves_room_up_to_the_edge() -> None:
    found = clustered_interval([(8, 8)] * 9 + [(0, 8)])
    assert 0.988 < found.high < 1
    assert wilson(9, 10).high < 0.983


@pytest.mark.parametrize("clusters", [[(2, 2)], [(1, 2), (0, 1)]])
def test_up_to_three_attempts_have_the_plain_interval(clusters: list[tuple[int, int]]) -> None:
    good, n = sum(good for good, _ in clusters), sum(n for _, n in clusters)
    assert clustered_interval(clusters) == wilson(good, n)


def test_a_single_failure_may_have_been_an_accident() -> None:
    """Ten single attempts at .99 have one in a tenth of the runs: the interval must hold the rate then, too."""
    assert clustered_interval([(1, 1)] * 9 + [(0, 1)]).high > 0.99
    assert clustered_interval([(1, 1)] * 8 + [(0, 1)] * 2).high < 0.98


def test_single_attempts_are_independent_and_few_of_them_are_not_trusted() -> None:
    few, many = (
        clustered_interval([(1, 1)] * 9 + [(0, 1)]),
        clustered_interval([(1, 1)] * 900 + [(0, 1)] * 100),
    )
    assert few.low == pytest.approx(wilson_at(9, 10, t_quantile(0.975, 18)).low)
    assert few.high == pytest.approx(1 - 0.04 * 0.1)
    assert many.width == pytest.approx(wilson(900, 1000).width, rel=0.02)


def test_a_few_long_conversations_that_outweigh_the_others_widen_the_interval() -> None:
    even = clustered_interval([(9, 10), (7, 10)] * 6)
    one_long = clustered_interval([(9, 10), (7, 10)] * 3 + [(48, 60)])
    assert one_long.width > 1.3 * even.width


def test_one_conversation_says_little_and_more_of_them_say_more() -> None:
    widths = [clustered_interval([(4, 4)] * count).width for count in (1, 2, 3, 5, 10, 50)]
    assert widths == sorted(widths, reverse=True)
    assert 0.6 < widths[0] < 1
    assert widths[-1] < 0.09


@pytest.mark.parametrize(
    ("clusters", "low", "high"), [([(4, 4), (3, 3)], None, 1.0), ([(0, 4), (0, 3)], 0.0, None)]
)
def test_nothing_and_everything_end_at_their_edge(clusters, low: float | None, high: float | None) -> None:
    found = clustered_interval(clusters)
    assert low is None or found.low == low
    assert high is None or found.high == high


@pytest.mark.parametrize("clusters", [[], [(0, 0)], [(0, 0), (0, 0)]])
def test_without_attempts_there_is_no_rate(clusters: list[tuple[int, int]]) -> None:
    found = clustered_proportion(clusters)
    assert (found.value, found.n, found.interval) == (None, 0, None)


def test_a_rate_names_the_method_of_its_interval() -> None:
    assert clustered_proportion([(1, 2)]).method == "clustered-wilson:0.95"
    assert clustered_proportion([(1, 2)], 0.9).method == "clustered-wilson:0.9"


many_clusters = st.lists(
    st.integers(0, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=12
)


@given(many_clusters)
@settings(deadline=None, max_examples=300)
def test_an_interval_holds_its_rate_and_mirrors_failures(clusters: list[tuple[int, int]]) -> None:
    found = clustered_proportion(clusters)
    if found.value is None:
        return
    mirrored = clustered_interval([(n - good, n) for good, n in clusters])
    assert 0 <= found.interval.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.interval.high <= 1
    assert found.interval == Interval(
        pytest.approx(1 - mirrored.high, abs=1e-9), pytest.approx(1 - mirrored.low, abs=1e-9)
    )


@given(many_clusters)
@settings(deadline=None)
def test_clusters_without_attempts_change_nothing(clusters: list[tuple[int, int]]) -> None:
    assert clustered_interval(clusters) == clustered_interval([*clusters, (0, 0)])
