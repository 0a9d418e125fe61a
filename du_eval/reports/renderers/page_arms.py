"""What the page needs of a matrix of steps and arms: what several arms answered alike is written once."""

from __future__ import annotations

from du_eval.reports.arm_sections import ArmMatrix, ArmRow
from du_eval.reports.renderers.page_parts import CHUNK, OUTCOMES, Json, encode_detail, show_lines
from du_eval.reports.renderers.visible import make_visible
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
