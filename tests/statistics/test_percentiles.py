import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.statistics.quantiles import percentile, percentiles, summarise

values = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


@given(values, st.floats(0, 100))
@settings(deadline=None)
def test_a_percentile_is_that_of_numpy(values: list[float], share: float) -> None:
    assert percentile(values, share) == pytest.approx(float(np.percentile(values, share)), rel=1e-9, abs=1e-9)


def test_between_two_values_it_is_interpolated() -> None:
    assert percentile([1.0, 3.0], 50) == 2.0
    assert percentile([4.0, 1.0, 2.0, 3.0], 90) == pytest.approx(3.7)


def test_of_one_value_each_percentile_is_that_value() -> None:
    assert percentiles([0.25]) == {"p50": 0.25, "p90": 0.25, "p99": 0.25}


def test_of_no_values_there_is_none() -> None:
    assert percentile([], 50) is None
    assert percentiles([]) == {}


def test_the_shares_may_be_chosen_and_name_the_results() -> None:
    assert percentiles(iter([3.0, 1.0, 2.0]), (0, 100)) == {"p0": 1.0, "p100": 3.0}


@given(values)
@settings(deadline=None)
def test_higher_shares_are_never_lower(values: list[float]) -> None:
    found = list(percentiles(values).values())
    assert found == sorted(found)


def test_a_summary_tells_the_first_the_largest_the_number_and_the_sum() -> None:
    found = summarise([5.0, 1.0, 3.0])
    assert found == {
        "p50": 3.0,
        "p90": 4.6,
        "p99": pytest.approx(4.96),
        "max": 5.0,
        "first": 5.0,
        "n": 3,
        "total": 9,
    }
    assert summarise([]) == {}
