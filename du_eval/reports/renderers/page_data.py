"""What the page needs of a view: compact rows, numbers as they are shown, details apart from the list."""

from __future__ import annotations

from du_eval.reports.arm_sections import ArmMatrix, Trades
from du_eval.reports.renderers.page_arms import encode_arms
from du_eval.reports.renderers.page_parts import (
    CHUNK,
    OUTCOMES,
    Json,
    encode_curve,
    encode_detail,
    encode_figure,
    encode_matrix,
    encode_note,
    encode_trades,
    show_lines,
)
from du_eval.reports.renderers.visible import make_visible, tell_apart
from du_eval.reports.sections import Bars, Curve, Entries, Entry, Figures, Matrix, Section, View


def encode_view(view: View) -> tuple[dict[str, Json], list[Json]]:
    """Return a view for the page, and the pieces with the details of its entries."""
    pieces: list[Json] = []
    return {
        "title": make_visible(view.title),
        "kind": view.kind,
        "headline": encode_note(view.headline),
        "about": [[make_visible(name), make_visible(value)] for name, value in view.about],
        "sections": [_encode_section(section, pieces) for section in view.sections],
        "signature": make_visible(view.signature),
        "notes": [show_lines(note) for note in view.notes],
    }, pieces


def _encode_section(section: Section, pieces: list[Json]) -> Json:
    if isinstance(section, Entries):
        return _encode_entries(section, pieces)
    if isinstance(section, ArmMatrix):
        return encode_arms(section, pieces)
    if isinstance(section, Trades):
        return encode_trades(section)
    if isinstance(section, Figures):
        figures: list[Json] = [encode_figure(figure) for figure in section.figures]
        return {"is": "figures", "title": make_visible(section.title), "figures": figures}
    if isinstance(section, Matrix):
        return encode_matrix(section)
    if isinstance(section, Curve):
        return encode_curve(section)
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


def _encode_entries(section: Entries, pieces: list[Json]) -> Json:
    cases: dict[str, int] = {}
    facets: dict[tuple[str, str], int] = {}
    first = len(pieces)
    rows: list[Json] = []
    details: list[Json] = []
    for entry in section.entries:
        rows.append(encode_entry(entry, cases, facets))
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


def encode_entry(entry: Entry, cases: dict[str, int], facets: dict[tuple[str, str], int]) -> Json:
    """Return the row of an entry; its case and facets are numbers of lists that grow with it."""
    expected, actual = _show_pair(entry.expected, entry.actual)
    return [
        make_visible(entry.id),
        OUTCOMES.index(entry.outcome),
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
        return show_lines(expected), show_lines(actual)
    return tell_apart(expected, actual)
