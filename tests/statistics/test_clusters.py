"""95 % intervals of clustered rates cover the truth in about 95 of 100 runs, also with few clusters."""

from __future__ import annotations

from random import Random

import pytest

from du_eval.statistics.intervals import clustered_proportion

RUNS = 1200


def coverage(clusters: int, attempts: tuple[int, int], rate: float, correlation: float) -> float:
    """Return how often the interval holds the truth; rates of clusters follow a beta distribution."""
    random = Random(f"{clusters}/{attempts}/{rate}/{correlation}")
    covered = 0
    for _ in range(RUNS):
        drawn = []
        for _ in range(clusters):
            own = rate
            if correlation:
                size = (1 - correlation) / correlation
                own = random.betavariate(rate * size, (1 - rate) * size)
            count = random.randint(*attempts)
            drawn.append((sum(random.random() < own for _ in range(count)), count))
        interval = clustered_proportion(drawn).interval
        covered += interval is None or interval.low <= rate <= interval.high
    return covered / RUNS


@pytest.mark.parametrize("clusters", [10, 20, 40])
@pytest.mark.parametrize("attempts", [(2, 6), (1, 4)])
@pytest.mark.parametrize("rate", [0.5, 0.8])
@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.3])
def test_intervals_cover(clusters: int, attempts: tuple[int, int], rate: float, correlation: float) -> None:
    assert 0.93 <= coverage(clusters, attempts, rate, correlation) <= 0.975


@pytest.mark.parametrize(("clusters", "correlation"), [(20, 0.1), (40, 0.1), (100, 0.0)])
def test_intervals_cover_when_every_reply_is_judged(clusters: int, correlation: float) -> None:
    assert 0.93 <= coverage(clusters, (30, 40), 0.8, correlation) <= 0.97


def test_a_spread_of_few_clusters_is_trusted_less() -> None:
    few = clustered_proportion([(9, 10), (2, 10), (8, 10)]).interval
    many = clustered_proportion([(9, 10), (2, 10), (8, 10)] * 10).interval
    assert few.high - few.low > 3 * (many.high - many.low)


@pytest.mark.parametrize(
    ("clusters", "low", "high"), [([(4, 4), (3, 3)], None, 1.0), ([(0, 4), (0, 3)], 0.0, None)]
)
def test_nothing_and_everything_end_at_their_edge(clusters, low: float | None, high: float | None) -> None:
    found = clustered_proportion(clusters)
    assert low is None or found.interval.low == low
    assert high is None or found.interval.high == high


def test_without_attempts_there_is_no_rate() -> None:
    found = clustered_proportion([(0, 0)])
    assert (found.value, found.n, found.interval) == (None, 0, None)
    assert clustered_proportion([(1, 2)]).signature == "clustered-wilson:0.95"
