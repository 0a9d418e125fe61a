"""Numbers as people read them."""

from __future__ import annotations

import pytest

from du_eval.reports.numbers import (
    name_figure,
    show_cell,
    show_figure,
    show_measurement,
    show_number,
    show_quantity,
    show_seconds,
)
from du_eval.reports.sections import Look
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Interval, Measurement


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"), (float("nan"), "–"), (float("inf"), "–"), (0, "0"), (1200, "1200"), (3.0, "3"), (0.25, "0.25"),
        (-0.123456, "-0.1235"), (123.456, "123.5"), (12345.678, "12346"), (0.001, "0.001"), (0.000123456, "1.235e-04"),
        (12345678.9, "1.235e+07"),
    ],
)  # fmt: skip
def test_a_number_has_four_places_that_matter(value: float | None, shown: str) -> None:
    assert show_number(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0123, "12.3 ms"),
        (0.0999, "99.9 ms"),
        (0.1, "100 ms"),
        (0.412, "412 ms"),
        (1, "1.00 s"),
        (119, "119.00 s"),
        (120, "2.0 min"),
    ],
)
def test_a_duration_is_in_the_unit_that_reads_best(value: float, shown: str) -> None:
    assert show_seconds(value) == shown


def test_a_quantity_has_its_unit() -> None:
    assert show_quantity(0.5, "share") == "0.500"
    assert show_quantity(0.5, "seconds") == "500 ms"
    assert show_quantity(0.0123, "EUR") == "0.0123 EUR"
    assert show_quantity(7, "") == "7"
    assert [show_quantity(value, "utterances") for value in (1, 1.5, 2)] == [
        "1 utterance",
        "1.5 utterances",
        "2 utterances",
    ]
    assert show_quantity(None, "EUR") == "–"


def test_a_measurement_has_its_interval_and_its_n() -> None:
    measured = Measurement(0.75, 8, Interval(0.41, 0.93))
    assert show_measurement(measured) == "0.75 (0.41–0.93, n=8)"
    assert show_measurement(measured, with_n=False) == "0.75 (0.41–0.93)"
    assert show_measurement(Measurement(0.75, 8), with_n=False) == "0.75"
    assert show_measurement(Measurement(None, 0, Interval(0, 1))) == "– (n=0)"
    assert show_measurement(Measurement(-0.5, 4, Interval(-1, 0.25)), "") == "-0.5 (-1 to 0.25, n=4)"


def test_an_interval_says_its_unit_once_where_it_can() -> None:
    assert (
        show_measurement(Measurement(0.4, 9, Interval(0.38, 0.45)), "seconds") == "400 ms (380–450 ms, n=9)"
    )
    assert (
        show_measurement(Measurement(0.9, 9, Interval(0.8, 1.5)), "seconds") == "900 ms (800 ms–1.50 s, n=9)"
    )
    counted = Measurement(1.5, 9, Interval(1, 2))
    assert show_measurement(counted, "utterances") == "1.5 utterances (1–2 utterances, n=9)"


def test_a_figure_says_where_less_is_better() -> None:
    figure = Figure("error_rate", Measurement(0.1, 9), better=Direction.LOWER)
    assert show_figure(figure) == "0.10 (n=9), lower is better"
    assert show_figure(Figure("accuracy", Measurement(0.1, 9))) == "0.10 (n=9)"
    assert name_figure(figure) == "error rate"
    assert name_figure(Figure("f1", Measurement(0.1, 9), "F1, macro")) == "F1, macro"


def test_a_cell_is_shown_by_the_look_of_its_column() -> None:
    measured = Measurement(12.5, 3)
    assert show_cell(measured, Look.NUMBER) == "12.5 (n=3)"
    assert show_cell(measured, Look.SHARE, with_n=False) == "12.50"
    assert show_cell(0.5, Look.SHARE) == "0.50"
    assert show_cell(0.5, Look.NUMBER) == "0.5"
    assert show_cell(Outcome.FAILED, Look.OUTCOME) == "failed"
    assert show_cell("text") == "text"
    assert show_cell(None) == "–"
