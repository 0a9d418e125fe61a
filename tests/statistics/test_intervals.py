import random
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.statistics.intervals import Interval, Measurement, clustered_proportion, proportion, wilson


class TestWilson:
    @pytest.mark.parametrize(
        ("successes", "n", "low", "high"),
        [
            # Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0000, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ],
    )
    def test_it_gives_the_published_values(self, successes: int, n: int, low: float, high: float) -> None:
        found = wilson(successes, n)
        assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))

    def test_other_confidences_are_possible(self) -> None:
        found = wilson(8, 10, 0.90)
        assert (found.low, found.high) == (pytest.approx(0.541, abs=1e-3), pytest.approx(0.931, abs=1e-3))

    @pytest.mark.parametrize("n", [0, -1])
    def test_without_attempts_there_is_none(self, n: int) -> None:
        assert wilson(0, n) is None

    def test_its_ends_are_exact_where_all_or_none_succeed(self) -> None:
        assert wilson(0, 7).low == 0.0
        assert wilson(7, 7).high == 1.0
        assert wilson(7, 7).low < 1.0

    @given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
    @settings(deadline=None)
    def test_it_holds_the_rate_and_stays_within_zero_and_one(self, drawn: tuple[int, int]) -> None:
        successes, n = drawn
        found = wilson(successes, n)
        assert 0 <= found.low <= successes / n + 1e-12
        assert successes / n - 1e-12 <= found.high <= 1

    @given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
    @settings(deadline=None)
    def test_failures_mirror_successes(self, drawn: tuple[int, int]) -> None:
        successes, n = drawn
        found, mirrored = wilson(successes, n), wilson(n - successes, n)
        assert found.low == pytest.approx(1 - mirrored.high, abs=1e-12)

    @pytest.mark.parametrize("n", [10, 25, 100])
    def test_it_covers_the_true_rate_about_as_often_as_it_says(self, n: int) -> None:
        rates = [step / 100 for step in range(5, 100, 5)]
        coverage = [
            sum(
                comb(n, k) * rate**k * (1 - rate) ** (n - k)
                for k in range(n + 1)
                if wilson(k, n).low <= rate <= wilson(k, n).high
            )
            for rate in rates
        ]
        assert sum(coverage) / len(coverage) == pytest.approx(0.95, abs=0.012)
        assert min(coverage) > 0.87


class TestProportion:
    def test_it_knows_rate_number_interval_and_method(self) -> None:
        assert proportion(8, 10) == Measurement(0.8, 10, wilson(8, 10), "wilson:0.95")

    def test_without_attempts_it_is_undefined(self) -> None:
        assert proportion(0, 0) == Measurement(None, 0, None, "wilson:0.95")

    def test_an_interval_prints_with_two_decimals(self) -> None:
        assert str(Interval(0.4901, 0.9433)) == "0.49–0.94"


def width(measurement: Measurement) -> float:
    assert measurement.interval is not None
    return measurement.interval.high - measurement.interval.low


class TestClusteredProportion:
    def test_attempts_that_agree_within_clusters_widen_the_interval(self) -> None:
        scattered = clustered_proportion([(2, 5), (3, 5)] * 10)
        clustered = clustered_proportion([(5, 5), (0, 5)] * 10)
        assert scattered.value == clustered.value == 0.5
        assert width(scattered) == pytest.approx(width(proportion(50, 100)))
        assert width(clustered) > 1.9 * width(scattered)

    def test_clusters_that_agree_completely_count_as_one_attempt_each(self) -> None:
        found = clustered_proportion([(5, 5), (0, 5)] * 50)
        assert width(found) == pytest.approx(width(proportion(50, 100)), rel=0.02)

    def test_clusters_of_one_attempt_are_no_clusters(self) -> None:
        found = clustered_proportion([(1, 1)] * 30 + [(0, 1)] * 10)
        assert width(found) == pytest.approx(width(proportion(30, 40)), rel=0.02)

    def test_it_never_claims_more_than_independent_attempts_would(self) -> None:
        assert width(clustered_proportion([(1, 2)] * 20)) == pytest.approx(width(proportion(20, 40)))

    @pytest.mark.parametrize("clusters", [[(5, 5)] * 4, [(0, 5)] * 4, [(3, 5)]])
    def test_without_a_difference_between_clusters_it_is_the_plain_interval(
        self, clusters: list[tuple[int, int]]
    ) -> None:
        successes, n = sum(good for good, _ in clusters), sum(n for _, n in clusters)
        assert clustered_proportion(clusters).interval == wilson(successes, n)

    def test_clusters_without_attempts_do_not_count(self) -> None:
        assert clustered_proportion([(3, 5), (0, 0), (2, 5)]) == clustered_proportion([(3, 5), (2, 5)])

    @pytest.mark.parametrize("clusters", [[], [(0, 0)]])
    def test_without_attempts_it_is_undefined(self, clusters: list[tuple[int, int]]) -> None:
        assert clustered_proportion(clusters) == Measurement(None, 0, None, "clustered-wilson:0.95")

    def test_it_covers_the_true_rate_where_the_plain_interval_does_not(self) -> None:
        dice, rate, runs = random.Random(7), 0.7, 600
        plain = clustered = 0
        for _ in range(runs):
            clusters = [_cluster(dice, rate) for _ in range(40)]
            honest = clustered_proportion(clusters).interval
            naive = wilson(sum(good for good, _ in clusters), sum(n for _, n in clusters))
            clustered += honest.low <= rate <= honest.high
            plain += naive.low <= rate <= naive.high
        assert clustered / runs > 0.92
        assert plain / runs < 0.85


def _cluster(dice: random.Random, rate: float) -> tuple[int, int]:
    """Return successes and attempts of a conversation whose steps share their luck."""
    luck = dice.betavariate(1.4, 0.6)
    assert rate == 1.4 / (1.4 + 0.6)
    return sum(dice.random() < luck for _ in range(5)), 5
