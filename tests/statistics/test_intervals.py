from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.statistics.clusters import proportion
from du_eval.statistics.intervals import Interval, Measurement, wilson, wilson_at
from du_eval.statistics.quantiles import t_quantile


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
        low, high = (wilson_at(8, 10, t_quantile(0.975, freedom)) for freedom in (18, 7))
        found = proportion(8, 10)
        assert (found.value, found.n, found.method) == (0.8, 10, "clustered-wilson:0.95")
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == pytest.approx((low.low, high.high))

    def test_without_attempts_it_is_undefined(self) -> None:
        assert proportion(0, 0) == Measurement(None, 0, None, method="clustered-wilson:0.95")

    def test_an_interval_prints_with_two_decimals(self) -> None:
        assert str(Interval(0.4901, 0.9433)) == "0.49–0.94"
