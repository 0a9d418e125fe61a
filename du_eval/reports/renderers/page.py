"""The page: one file that opens anywhere, asks nobody, and runs nothing that a text in it says."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from msgspec import Struct

from du_eval.reports.arm_sections import ArmMatrix, ArmRow, Trades
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
from du_eval.reports.sections import Bars, Curve, Entries, Entry, Figures, Matrix, Section, View
from du_eval.reports.visible import make_visible, tell_apart
from du_eval.runs.outcome import Outcome


def encode_arms(matrix: ArmMatrix, pieces: list[Json]) -> Json:
    """Return a matrix of steps and arms; what several arms answered alike is written once."""
    cases: dict[str, int] = {}
    kinds: dict[str, int] = {}
    facets: dict[tuple[str, str], int] = {}
    first = len(pieces)
    rows: list[Json] = []
    for at in range(0, len(matrix.rows), CHUNK):
        part = matrix.rows[at : at + CHUNK]
        rows += [_encode_arm_row(row, cases, kinds, facets) for row in part]
        pieces.append([[encode_detail(detail) for detail in row.detail] or 0 for row in part])
    return {
        "is": "arms",
        "title": make_visible(matrix.title),
        "unit": make_visible(matrix.unit),
        "arms": list(map(make_visible, matrix.arms)),
        "cases": list(map(make_visible, cases)),
        "kinds": list(map(make_visible, kinds)),
        "facets": [[make_visible(name), make_visible(value)] for name, value in facets],
        "rows": rows,
        "chunk": CHUNK,
        "first": first,
    }


def _encode_arm_row(
    row: ArmRow, cases: dict[str, int], kinds: dict[str, int], facets: dict[tuple[str, str], int]
) -> Json:
    """Return a row: its answers, each once, and for each arm the numbers of its answers."""
    answers: dict[tuple[str, Outcome | None, tuple[str, ...]], int] = {}
    cells: list[Json] = []
    for cell in row.cells:
        found = [
            (answers.setdefault((one.text, one.outcome, one.kinds), len(answers)), one.count) for one in cell
        ]
        is_single = len(found) == 1 and found[0][1] == 1
        cells.append(found[0][0] if is_single else [list(one) for one in found])
    encoded: list[Json] = [
        [show_lines(text), OUTCOMES.index(outcome), [kinds.setdefault(one, len(kinds)) for one in own]]
        for text, outcome, own in answers
    ]
    return [
        make_visible(row.id),
        make_visible(row.place),
        cases.setdefault(row.case, len(cases)),
        make_visible(row.title),
        show_lines(row.expected),
        encoded,
        cells,
        [facets.setdefault(facet, len(facets)) for facet in row.facets],
    ]


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


_SCRIPTS = ("base.js", "sections.js", "charts.js", "entries.js", "arms.js", "main.js")
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


class Host(Struct, frozen=True):
    """Who shows the page, where it is more than a file: what it adds to the page, and whom it may ask."""

    data: Json
    scripts: tuple[str, ...]
    """They run before the page is drawn."""
    style: str
    policy: str
    """What the content policy allows besides: `connect-src 'self'`."""


def render_page(views: Sequence[View], host: Host | None = None) -> str:
    """Return the page of one or several views; several are tabs."""
    before, after = _read_frame(*((host.scripts, host.style, host.policy) if host else ()))
    heads: list[Json] = []
    elements: list[str] = []
    for number, view in enumerate(views):
        encoded, pieces = encode_view(view)
        heads.append([encoded["title"], encoded["headline"]])
        elements.append(_make_element(f"view-{number}", encoded))
        elements += [_make_element(f"details-{number}-{at}", piece) for at, piece in enumerate(pieces)]
    if host is not None:
        elements.append(_make_element("host", host.data))
    return "".join([before, _make_element("data", heads), *elements, after])


def _make_element(name: str, data: Json) -> str:
    return f'<script type="application/json" id="{name}">{write_inert_json(data)}</script>\n'


def write_inert_json(data: Json) -> str:
    """Return JSON that cannot end the script element it stands in, whatever texts it holds."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@cache
def _read_frame(added: tuple[str, ...] = (), added_style: str = "", policy: str = "") -> tuple[str, str]:
    """Return the page before and after its data; only our own style and scripts may run, by their hashes."""
    folder = files("du_eval.reports.renderers") / "assets"
    style, text, *scripts = (
        (folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.html", *_SCRIPTS)
    )
    style += added_style
    scripts[-1:] = [*added, scripts[-1]]
    replacements = {
        "%POLICY%": f"{policy}; " if policy else "",
        "%STYLE_HASH%": _hash(style),
        "%SCRIPT_HASHES%": " ".join(map(_hash, scripts)),
        "%STYLE%": style,
        "%SCRIPTS%": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    for key, value in replacements.items():
        text = text.replace(key, value)
    before, _, after = text.partition("%DATA%")
    return before, after


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
