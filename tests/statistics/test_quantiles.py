"""Quantiles are exact."""

from __future__ import annotations

import pytest

from du_eval.statistics.quantiles import poisson_share, t_quantile, t_share


@pytest.mark.parametrize("freedom", [1, 2, 3.5, 10, 199, 5000])
@pytest.mark.parametrize("probability", [0.005, 0.4, 0.5, 0.9, 0.975, 0.9995])
def test_quantiles_of_student_equal_those_of_scipy(freedom: float, probability: float) -> None:
    special = pytest.importorskip("scipy.special")
    assert t_quantile(probability, freedom) == pytest.approx(special.stdtrit(freedom, probability), abs=1e-8)
    assert t_share(t_quantile(probability, freedom), freedom) == pytest.approx(probability)


@pytest.mark.parametrize("mean", [0.01, 0.5, 3, 41, 480, 5100])
@pytest.mark.parametrize("count", [0, 1, 5, 40, 500, 5000])
def test_shares_of_poisson_equal_those_of_scipy(count: int, mean: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    assert poisson_share(count, mean) == pytest.approx(stats.poisson.cdf(count, mean), rel=1e-9, abs=1e-300)


def test_where_no_event_is_expected_there_is_none() -> None:
    assert poisson_share(0, 0.0) == 1.0


def test_the_factor_of_the_original_suits_two_hundred_lines_only() -> None:
    assert t_quantile(0.975, 199) == pytest.approx(1.97, abs=0.005)
    assert t_quantile(0.975, 4) > 2.7


@pytest.mark.parametrize(("probability", "freedom"), [(0, 3), (1, 3), (0.5, 0)])
def test_impossible_probabilities_are_refused(probability: float, freedom: float) -> None:
    with pytest.raises(ValueError, match="not"):
        t_quantile(probability, freedom)
