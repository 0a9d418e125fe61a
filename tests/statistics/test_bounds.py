"""Items that were not judged bound a rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from du_eval.statistics.clusters import proportion
from du_eval.statistics.intervals import Bounds, Measurement, bound_rate


def test_a_third_of_errors_leaves_a_good_rate_open() -> None:
    found = bound_rate(232, 242, 110)
    assert (found.low, found.high) == (pytest.approx(232 / 352), pytest.approx(342 / 352))
    assert found.matter
    assert found.reach(0.9) is None
    assert found.reach(0.6) is True
    assert found.reach(0.99) is False


def test_a_threshold_that_is_just_met_is_reached() -> None:
    assert bound_rate(9, 10, 0).reach(0.9) is True
    assert bound_rate(8, 9, 1).reach(0.9) is None


def test_without_missing_items_there_is_nothing_to_bound() -> None:
    found = bound_rate(3, 4, 0)
    assert found == Bounds(0.75, 0.75, 0)
    assert not found.matter


def test_without_items_there_are_no_bounds() -> None:
    assert bound_rate(0, 0, 0) is None
    assert bound_rate(0, 0, 3) == Bounds(0.0, 1.0, 3)


def test_bounds_say_what_they_are() -> None:
    assert str(bound_rate(6, 7, 3)) == "0.60–0.90 with 3 not judged"


@given(st.lists(st.sampled_from([True, False, None]), min_size=1), st.data())
def test_whatever_became_of_the_missing_the_rate_lies_within(
    items: list[bool | None], data: st.DataObject
) -> None:
    judged = [item for item in items if item is not None]
    found = bound_rate(sum(judged), len(judged), len(items) - len(judged))
    became = [data.draw(st.booleans()) if item is None else item for item in items]
    assert found.low - 1e-12 <= sum(became) / len(became) <= found.high + 1e-12


def test_a_rate_knows_its_bounds() -> None:
    found = replace(proportion(232, 242), missing=110)
    assert found.bounds == Bounds(pytest.approx(232 / 352), pytest.approx(342 / 352), 110)
    assert proportion(3, 4).bounds is None
    assert Measurement(None, 0, missing=3).bounds == Bounds(0.0, 1.0, 3)


def test_bounds_matter_from_half_a_hundredth_on() -> None:
    assert Bounds(0.0, 0.005, 1).matter
    assert not Bounds(0.0, 0.0049, 1).matter
