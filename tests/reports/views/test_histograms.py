"""Distributions in bins."""

from __future__ import annotations

from du_eval.reports.numbers import show_seconds
from du_eval.reports.views.agent_tables import make_histogram


def test_values_are_counted_in_bins_of_equal_width() -> None:
    (bars,) = make_histogram("scores", [0.0, 0.01, 0.5, 1.0])
    assert len(bars.labels) == len(bars.counts) == 20
    assert (bars.counts[0], bars.counts[10], bars.counts[19]) == (2, 1, 1)
    assert (bars.labels[0], bars.labels[10]) == ("0", "0.5")


def test_values_that_spread_far_are_counted_in_bins_of_equal_ratio() -> None:
    (bars,) = make_histogram("latency", [0.001, 0.01, 0.1, 10.0], "time", show_seconds)
    assert sum(bars.counts) == 4
    assert bars.labels[0] == "1.0 ms"
    assert [at for at, count in enumerate(bars.counts) if count] == [0, 5, 10, 19]


def test_equal_values_are_one_bar_and_nothing_is_none() -> None:
    (bars,) = make_histogram("tokens", [7, 7, 7])
    assert (bars.labels, bars.counts) == (("7",), (3,))
    assert list(make_histogram("tokens", [])) == []
