"""What the page needs of single parts of a view: numbers as they are shown, texts made visible."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from du_eval.reports.arm_sections import Trades
from du_eval.reports.numbers import name_figure, name_method, show_cell, show_measurement, show_quantity
from du_eval.reports.sections import (
    Cell,
    Column,
    Curve,
    Detail,
    Diff,
    Facts,
    Look,
    Matrix,
    Note,
    Table,
    Text,
    Transcript,
)
from du_eval.reports.visible import make_lines_visible, make_visible, pair_rows
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Measurement

Json = str | int | float | bool | None | Sequence["Json"] | dict[str, "Json"]
CHUNK = 250
"""How many entries share a piece of details, which the page reads only when one of them is opened."""
OUTCOMES: tuple[Outcome | None, ...] = (None, *Outcome)
"""Outcomes by the number that stands for them on the page."""


def show_lines(text: str) -> str:
    """Return a text with line breaks, and everything else in it made visible."""
    return "\n".join(make_lines_visible(text))


def encode_detail(detail: Detail) -> Json:
    """Return a section that can stand inside an entry, too."""
    if isinstance(detail, Note):
        return encode_note(detail)
    if isinstance(detail, Table):
        return _encode_table(detail)
    if isinstance(detail, Diff):
        return {"is": "diff", "titles": list(detail.titles), "rows": [list(row) for row in pair_rows(detail)]}
    if isinstance(detail, Transcript):
        lines: list[Json] = [
            [make_visible(line.speaker), show_lines(line.text), show_lines(line.remark), line.outcome]
            + ([True] if line.is_code else [])
            for line in detail.lines
        ]
        return {"is": "talk", "title": make_visible(detail.title), "lines": lines}
    if isinstance(detail, Facts):
        rows: list[Json] = [[make_visible(name), show_lines(value)] for name, value in detail.rows]
        return {"is": "facts", "title": make_visible(detail.title), "rows": rows}
    return _encode_text(detail)


def _encode_text(text: Text) -> Json:
    shown = show_lines(text.text)
    return {"is": "text", "title": make_visible(text.title), "text": shown, "minor": text.is_minor}


def encode_note(note: Note) -> Json:
    """Return a sentence."""
    return {"is": "note", "text": show_lines(note.text), "tone": str(note.tone)}


def _keep_finite(value: float | None) -> float | None:
    """Return a number that JSON has; what is infinite or undefined is None."""
    return value if value is not None and isfinite(value) else None


def _list_ends(measured: Measurement) -> list[float | None]:
    interval = measured.interval
    return [_keep_finite(interval.low), _keep_finite(interval.high)] if interval else [None, None]


def encode_figure(figure: Figure) -> Json:
    """Return a figure as it is shown, with its interval."""
    measured = figure.measured
    value, ends = _keep_finite(measured.value), _list_ends(measured)
    spread = show_measurement(measured, figure.unit).partition(" (")[2].removesuffix(")")
    return {
        "name": make_visible(name_figure(figure)),
        "shown": show_quantity(measured.value, figure.unit),
        "spread": spread,
        "better": str(figure.better),
        "share": [value, ends if None not in ends else None]
        if figure.is_share and value is not None
        else None,
        "method": make_visible(name_method(figure)),
    }


def _encode_table(table: Table) -> Json:
    columns: list[Json] = [[make_visible(one.name), str(one.look), one.facet] for one in table.columns]
    return {
        "is": "table",
        "title": make_visible(table.title),
        "columns": columns,
        "rows": [
            [_encode_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)]
            for row in table.rows
        ],
        "remark": make_visible(table.remark),
        "minor": table.is_minor,
    }


def _encode_cell(cell: Cell, column: Column) -> Json:
    """Return a text as it is; a number with how it is shown; a measurement with its interval."""
    if cell is None or isinstance(cell, Outcome):
        return cell
    if isinstance(cell, str):
        return show_lines(cell)
    shown = show_cell(cell, column.look)
    if isinstance(cell, Measurement):
        value, ends = _keep_finite(cell.value), _list_ends(cell)
        is_drawn = column.look is Look.SHARE and value is not None and None not in ends
        return [shown, value, ends if is_drawn else None]
    return [shown, _keep_finite(cell), None]


def encode_matrix(matrix: Matrix) -> Json:
    """Return counts of pairs."""
    return {
        "is": "matrix",
        "title": make_visible(matrix.title),
        "axes": [make_visible(matrix.row_title), make_visible(matrix.column_title)],
        "rows": list(map(make_visible, matrix.rows)),
        "columns": list(map(make_visible, matrix.columns)),
        "counts": [list(row) for row in matrix.counts],
        "facet": matrix.facet,
    }


def encode_curve(curve: Curve) -> Json:
    """Return measured points over a quantity."""
    unit = "share" if curve.is_share else ""
    series: list[Json] = []
    for name, points in curve.series:
        rows: list[Json] = []
        for point in points:
            value, (low, high) = _keep_finite(point.measured.value), _list_ends(point.measured)
            shown = show_measurement(point.measured, unit)
            rows.append([point.x, value, low, high, make_visible(point.label), shown])
        series.append([make_visible(name), rows])
    return {
        "is": "curve",
        "title": make_visible(curve.title),
        "axes": [make_visible(curve.x_title), make_visible(curve.y_title)],
        "series": series,
        "share": curve.is_share,
    }


def encode_trades(trades: Trades) -> Json:
    """Return what a better figure costs."""
    rows: list[Json] = []
    for one in trades.trades:
        low, high = _list_ends(one.y)
        shown = show_measurement(one.y, "share" if trades.is_share else "")
        rows.append(
            [
                make_visible(one.name),
                _keep_finite(one.x),
                _keep_finite(one.y.value),
                low,
                high,
                shown,
                one.is_best,
            ]
        )
    return {
        "is": "trades",
        "title": make_visible(trades.title),
        "axes": [make_visible(trades.x_title), make_visible(trades.y_title)],
        "rows": rows,
        "share": trades.is_share,
    }
