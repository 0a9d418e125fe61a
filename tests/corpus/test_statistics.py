"""What lines add to the score of a corpus stands on textbook ground."""

from __future__ import annotations

import numpy as np
import pytest

from du_eval.statistics.jackknife import from_derivatives, from_left_out, from_sums


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
