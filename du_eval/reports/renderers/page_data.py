"""What the page needs of a view: compact rows, numbers as they are shown, details apart from the list."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from du_eval.reports.numbers import name_figure, show_cell, show_measurement, show_quantity
from du_eval.reports.renderers.visible import make_lines_visible, make_visible, pair_rows, tell_apart
from du_eval.reports.sections import (
    Bars,
    Cell,
    Column,
    Curve,
    Detail,
    Diff,
    Entries,
    Entry,
    Facts,
    Figures,
    Look,
    Matrix,
    Note,
    Section,
    Table,
    Text,
    Transcript,
    View,
)
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Measurement

Json = str | int | float | bool | None | Sequence["Json"] | dict[str, "Json"]
CHUNK = 250
"""How many entries share a piece of details, which the page reads only when one of them is opened."""
_OUTCOMES: tuple[Outcome | None, ...] = (None, *Outcome)


def encode_view(view: View) -> tuple[dict[str, Json], list[Json]]:
    """Return a view for the page, and the pieces with the details of its entries."""
    pieces: list[Json] = []
    return {
        "title": make_visible(view.title),
        "kind": view.kind,
        "headline": _encode_note(view.headline),
        "about": [[make_visible(name), make_visible(value)] for name, value in view.about],
        "sections": [_encode_section(section, pieces) for section in view.sections],
        "signature": make_visible(view.signature),
        "notes": [_show_lines(note) for note in view.notes],
    }, pieces


def _show_lines(text: str) -> str:
    return "\n".join(make_lines_visible(text))


def _encode_section(section: Section, pieces: list[Json]) -> Json:
    if isinstance(section, Entries):
        return _encode_entries(section, pieces)
    if isinstance(section, Figures):
        figures: list[Json] = [_encode_figure(figure) for figure in section.figures]
        return {"is": "figures", "title": make_visible(section.title), "figures": figures}
    if isinstance(section, Matrix):
        return _encode_matrix(section)
    if isinstance(section, Curve):
        return _encode_curve(section)
    if isinstance(section, Bars):
        return {
            "is": "bars",
            "title": make_visible(section.title),
            "labels": list(map(make_visible, section.labels)),
            "counts": list(section.counts),
            "unit": make_visible(section.unit),
            "remark": make_visible(section.remark),
        }
    return encode_detail(section)


def encode_detail(detail: Detail) -> Json:
    """Return a section that can stand inside an entry, too."""
    if isinstance(detail, Note):
        return _encode_note(detail)
    if isinstance(detail, Table):
        return _encode_table(detail)
    if isinstance(detail, Diff):
        return {"is": "diff", "titles": list(detail.titles), "rows": [list(row) for row in pair_rows(detail)]}
    if isinstance(detail, Transcript):
        lines: list[Json] = [
            [make_visible(line.speaker), _show_lines(line.text), _show_lines(line.remark), line.outcome]
            for line in detail.lines
        ]
        return {"is": "talk", "title": make_visible(detail.title), "lines": lines}
    if isinstance(detail, Facts):
        rows: list[Json] = [[make_visible(name), _show_lines(value)] for name, value in detail.rows]
        return {"is": "facts", "title": make_visible(detail.title), "rows": rows}
    return _encode_text(detail)


def _encode_text(text: Text) -> Json:
    shown = _show_lines(text.text)
    return {"is": "text", "title": make_visible(text.title), "text": shown, "minor": text.is_minor}


def _encode_note(note: Note) -> Json:
    return {"is": "note", "text": _show_lines(note.text), "tone": str(note.tone)}


def _keep_finite(value: float | None) -> float | None:
    """Return a number that JSON has; what is infinite or undefined is None."""
    return value if value is not None and isfinite(value) else None


def _list_ends(measured: Measurement) -> list[float | None]:
    interval = measured.interval
    return [_keep_finite(interval.low), _keep_finite(interval.high)] if interval else [None, None]


def _encode_figure(figure: Figure) -> Json:
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
        "method": make_visible(figure.method or measured.signature),
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
        return _show_lines(cell)
    shown = show_cell(cell, column.look)
    if isinstance(cell, Measurement):
        value, ends = _keep_finite(cell.value), _list_ends(cell)
        is_drawn = column.look is Look.SHARE and value is not None and None not in ends
        return [shown, value, ends if is_drawn else None]
    return [shown, _keep_finite(cell), None]


def _encode_matrix(matrix: Matrix) -> Json:
    return {
        "is": "matrix",
        "title": make_visible(matrix.title),
        "axes": [make_visible(matrix.row_title), make_visible(matrix.column_title)],
        "rows": list(map(make_visible, matrix.rows)),
        "columns": list(map(make_visible, matrix.columns)),
        "counts": [list(row) for row in matrix.counts],
        "facet": matrix.facet,
    }


def _encode_curve(curve: Curve) -> Json:
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


def _encode_entries(section: Entries, pieces: list[Json]) -> Json:
    cases: dict[str, int] = {}
    facets: dict[tuple[str, str], int] = {}
    first = len(pieces)
    rows: list[Json] = []
    details: list[Json] = []
    for entry in section.entries:
        rows.append(_encode_entry(entry, cases, facets))
        details.append([encode_detail(detail) for detail in entry.detail] or 0)
        if len(details) == CHUNK:
            pieces.append(details)
            details = []
    if details:
        pieces.append(details)
    return {
        "is": "entries",
        "title": make_visible(section.title),
        "unit": make_visible(section.unit),
        "cases": list(map(make_visible, cases)),
        "facets": [[make_visible(name), make_visible(value)] for name, value in facets],
        "rows": rows,
        "tags": list(map(make_visible, section.tags)),
        "chunk": CHUNK,
        "first": first,
    }


def _encode_entry(entry: Entry, cases: dict[str, int], facets: dict[tuple[str, str], int]) -> Json:
    expected, actual = _show_pair(entry.expected, entry.actual)
    return [
        make_visible(entry.id),
        _OUTCOMES.index(entry.outcome),
        make_visible(entry.place),
        cases.setdefault(entry.case, len(cases)),
        make_visible(entry.title),
        expected,
        actual if actual != expected else 0,
        [facets.setdefault(facet, len(facets)) for facet in entry.facets],
        make_visible(entry.message),
        int(entry.is_excused),
    ]


def _show_pair(expected: str, actual: str) -> tuple[str, str]:
    """Return what was expected and what came; where single lines look alike, with the difference."""
    if "\n" in expected or "\n" in actual:
        return _show_lines(expected), _show_lines(actual)
    return tell_apart(expected, actual)
