"""Intervals and significance of corpus metrics stand on textbook ground."""

from __future__ import annotations

import numpy as np
import pytest

from du_eval.statistics.resampling import (
    Resampling,
    difference,
    from_derivatives,
    from_left_out,
    from_sums,
    percentile_interval,
    resample_means,
)


def test_pseudo_values_of_a_mean_are_its_values() -> None:
    values = np.array([1.0, 4.0, 7.0])
    without = np.array([(values.sum() - value) / 2 for value in values])
    np.testing.assert_allclose(from_left_out(4.0, without), values)
    np.testing.assert_allclose(from_derivatives(4.0, values / 3), values)


@pytest.mark.parametrize("lines", [50, 4000])
def test_the_spread_of_a_ratio_of_sums_is_that_of_the_delta_method(lines: int) -> None:
    random = np.random.default_rng(3)
    rows = np.column_stack([random.poisson(3, lines), random.poisson(9, lines)]).astype(float)
    value, pseudo = from_sums(rows, lambda sums: float(sums[0] / sums[1]))
    ratio = rows[:, 0].sum() / rows[:, 1].sum()
    linear = (rows[:, 0] - ratio * rows[:, 1]) / rows[:, 1].mean()
    assert value == ratio
    assert pseudo.std() == pytest.approx(linear.std(), rel=0.05)


def test_resampled_means_leave_out_what_is_missing_and_repeat_with_the_seed() -> None:
    table = np.column_stack([np.arange(100.0), np.where(np.arange(100) < 50, 1.0, np.nan)])
    means = resample_means(table, Resampling(300, seed=4))
    np.testing.assert_array_equal(means, resample_means(table, Resampling(300, seed=4)))
    assert means[:, 0].mean() == pytest.approx(49.5, abs=1)
    assert set(means[:, 1]) == {1.0}
    interval = percentile_interval(means[:, 0], 0.95)
    assert interval is not None
    assert interval.low < 49.5 < interval.high


def test_a_p_value_is_small_only_for_a_difference_beyond_chance() -> None:
    random = np.random.default_rng(1)
    for shift, is_small in ((0.0, False), (1.0, True)):
        lines = random.normal(shift, 1, size=(200, 1))
        found = difference(float(lines.mean()), resample_means(lines, Resampling(500))[:, 0], 0.95, 200)
        assert found is not None
        assert (found.p < 0.01) is is_small


def test_the_chance_of_a_false_alarm_is_about_the_level() -> None:
    random = np.random.default_rng(2)
    lines = random.exponential(1, size=(100, 400)) - random.exponential(1, size=(100, 400))
    means = resample_means(lines, Resampling(400))
    alarms = [
        (found := difference(0.0, means[:, column], 0.95, 100)) is not None and found.p < 0.05
        for column in range(lines.shape[1])
    ]
    assert 0.02 < np.mean(alarms) < 0.09
