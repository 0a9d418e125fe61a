"""The assignment is the cheapest one there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.statistics.distance import find_cheapest_assignment, text_distance


@pytest.mark.parametrize("seed", range(20))
def test_it_costs_as_little_as_the_one_of_scipy(seed: int) -> None:
    from scipy.optimize import linear_sum_assignment

    random = np.random.default_rng(seed)
    rows = int(random.integers(1, 8))
    costs = random.random((rows, rows + int(random.integers(0, 5))))
    ours = find_cheapest_assignment(costs.tolist())
    assert len(set(ours)) == rows
    assert sum(costs[i][j] for i, j in enumerate(ours)) == pytest.approx(
        costs[linear_sum_assignment(costs)].sum()
    )


def test_nothing_to_assign_is_assigned_nothing() -> None:
    assert find_cheapest_assignment([]) == []


@pytest.mark.parametrize(
    ("first", "second", "distance"), [("", "", 0), ("a", "", 1), ("Bart", "Barts", 0.2), ("50", "15", 1)]
)
def test_the_distance_is_the_share_of_edits(first: str, second: str, distance: float) -> None:
    assert text_distance(first, second) == pytest.approx(distance)


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=12), st.text(max_size=12))
def test_the_distance_is_symmetric_and_between_nought_and_one(first: str, second: str) -> None:
    assert text_distance(first, second) == text_distance(second, first)
    assert 0 <= text_distance(first, second) <= 1
    assert (text_distance(first, second) == 0) == (first == second)
