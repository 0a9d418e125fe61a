"""Means over lines of conversations are as sure as the conversations make them."""

from __future__ import annotations

import numpy as np
import pytest

from du_eval.statistics.difference import Pair
from du_eval.statistics.paired_means import (
    clustered_half_width,
    clustered_mean,
    mean_difference,
    sum_clusters,
)
from tests.statistics.simulating import TIMES


def test_lines_on_their_own_have_the_interval_of_student() -> None:
    values = np.array([1.0, 2.0, 4.0, 9.0])
    expected = 3.182446305 * values.std(ddof=1) / 2
    assert clustered_half_width(values, (), 0.95) == pytest.approx(expected)


def test_lines_that_agree_within_conversations_count_once_each() -> None:
    values = np.repeat([1.0, 2.0, 4.0, 9.0], 5)
    alone = clustered_half_width(values[::5], (), 0.95)
    assert clustered_half_width(values, [5] * 4, 0.95) == pytest.approx(alone)


def test_values_that_are_missing_do_not_count() -> None:
    found = sum_clusters(np.array([1.0, np.nan, 3.0, np.nan, np.nan]), [2, 1, 2])
    assert (found.sums.tolist(), found.counts.tolist(), found.mean) == ([1.0, 3.0], [1.0, 1.0], 2.0)


@pytest.mark.parametrize("values", [[], [1.0], [np.nan, 1.0]])
def test_less_than_two_clusters_have_no_interval(values: list[float]) -> None:
    assert clustered_half_width(np.array(values), (), 0.95) is None
    assert clustered_half_width(np.array([1.0, 2.0]), [2], 0.95) is None


@pytest.mark.parametrize("share", [0.002, 0.01, 0.05])
def test_a_share_near_its_edge_is_not_taken_for_certain(share: float) -> None:
    random, tries, hits = np.random.default_rng(2), 400, 0
    for _ in range(tries):
        values = np.where(random.random(200) < share, random.uniform(0, 0.6, 200), 0.0)
        half = clustered_half_width(values, (), 0.95, largest=1.0)
        assert half is not None
        hits += abs(values.mean() - 0.3 * share) <= half
    assert hits / tries > 0.93


def test_numbers_that_all_vary_are_hardly_wider_for_it() -> None:
    values = np.random.default_rng(3).uniform(0, 1, 300)
    plain, careful = (clustered_half_width(values, (), 0.95, largest) for largest in (None, 1.0))
    assert plain < careful < 1.02 * plain


def test_equal_values_have_no_width_whatever_their_sums_are_rounded_to() -> None:
    assert clustered_half_width(np.full(7, 0.1), [3, 4], 0.95) == 0.0
    assert clustered_half_width(np.full(30, 1e6 + 0.1), (), 0.95) == 0.0
    assert clustered_half_width(np.array([1e-9, 2e-9]), (), 0.95) > 0


def test_the_interval_of_a_mean_is_wider_where_conversations_differ() -> None:
    alike = clustered_mean([[0.0, 1.0]] * 20, most=1.0)
    apart = clustered_mean([[0.0, 0.0], [1.0, 1.0]] * 10, most=1.0)
    assert alike.value == apart.value == 0.5
    assert (alike.n, alike.method) == (40, "clustered-student:0.95")
    assert apart.interval.width > 0.4 > alike.interval.width > 0


def test_a_mean_stays_where_its_values_can_be() -> None:
    found = clustered_mean([[1.0]] * 20 + [[0.9]], most=1.0).interval
    assert (found.low > 0, found.high) == (True, 1.0)
    assert clustered_mean([[0.0], [5.0]]).interval.low == 0.0
    assert clustered_mean([[1.0]] * 8, most=1.0).interval.width > 0
    assert (clustered_mean([[], []]).value, clustered_mean([[3.0], []]).interval) == (None, None)


def test_a_share_that_moves_with_whole_conversations_is_held_where_few_of_them_were_seen() -> None:
    random = np.random.default_rng(8)
    tries, held, share = 300 * TIMES, 0, 0.04
    for _ in range(tries):
        found = clustered_mean([[float(one)] * 8 for one in random.random(30) < share], most=1.0).interval
        held += found is not None and found.low <= share <= found.high
    assert held / tries >= 0.93


def test_a_difference_of_conversations_that_change_as_a_whole_is_held_where_few_of_them_were_seen() -> None:
    random = np.random.default_rng(9)
    tries, held, share = 200 * TIMES, 0, 0.04
    for _ in range(tries):
        lost = random.random(30) < share
        pairs = [Pair(place, 1.0, 1.0 - one) for place, one in enumerate(lost) for _ in range(8)]
        found = mean_difference(pairs)
        held += found is not None and found.interval.low <= -share <= found.interval.high
    assert held / tries >= 0.93
