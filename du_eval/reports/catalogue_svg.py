"""Flows as a drawing: boxes in ranks, lines with corners between them, in as many columns as fit the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assistants.steps import StepKind
from du_eval.evaluation.coverage import FlowCoverage
from du_eval.reports.catalogue_graph import arrows, boxes
from du_eval.reports.catalogue_layout import BOX_HEIGHT, BOX_WIDTH, DOT, Layout, Node, lay_out

_MARGIN, _TITLE, _TITLE_LETTER = 24, 30, 8.5
_LETTERS, _LABEL_LETTERS = 30, 44
_SHAPE = 1.4
"""How much wider than tall the page should be."""
_COLOURS = {
    StepKind.COLLECT: "#e3efff",
    StepKind.ACTION: "#e9f7e9",
    StepKind.CALL: "#f3e8ff",
    StepKind.LINK: "#f3e8ff",
}
_ARROW_HEAD = (
    '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
    'orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#555"/></marker></defs>'
)


class _Drawing(Struct, frozen=True):
    """One flow, drawn from its own upper left corner."""

    title: str
    layout: Layout

    @property
    def width(self) -> float:
        return max(self.layout.width, len(self.title) * _TITLE_LETTER)

    @property
    def height(self) -> float:
        return self.layout.height + _TITLE


def svg(flows: Sequence[FlowCoverage], *, has_suite: bool) -> str:
    """Return a page with all flows."""
    columns = _choose_columns([_draw_flow(found, has_suite=has_suite) for found in flows])
    parts: list[str] = []
    x, height = float(_MARGIN), 0.0
    for column in columns:
        y = float(_MARGIN)
        for drawing in column:
            parts.append(f'<g transform="translate({x:.0f},{y:.0f})">')
            parts.extend(_show(drawing))
            parts.append("</g>")
            y += drawing.height + _MARGIN
        height = max(height, y)
        x += max(drawing.width for drawing in column) + 2 * _MARGIN
    size = f'width="{x:.0f}" height="{height:.0f}" viewBox="0 0 {x:.0f} {height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    return "\n".join([head, _ARROW_HEAD, f'<rect {size} fill="white"/>', *parts, "</svg>", ""])


def _draw_flow(found: FlowCoverage, *, has_suite: bool) -> _Drawing:
    steps = list(boxes(found, has_suite=has_suite))
    ways = [replace(arrow, label=_shorten(arrow.label, _LABEL_LETTERS)) for arrow in arrows(found.program)]
    title = ": ".join(dict.fromkeys((found.flow.id, found.flow.readable_name)))
    return _Drawing(title, lay_out(steps, list(dict.fromkeys(ways))))


def _choose_columns(drawings: Sequence[_Drawing]) -> list[list[_Drawing]]:
    """Return the flows in columns of about the same height, so that the page has a good shape."""
    tries = [_fill_columns(drawings, count) for count in range(1, min(6, len(drawings)) + 1)]
    return min(tries, key=lambda columns: abs(_measure_shape(columns) - _SHAPE)) if tries else []


def _fill_columns(drawings: Sequence[_Drawing], count: int) -> list[list[_Drawing]]:
    columns: list[list[_Drawing]] = [[] for _ in range(count)]
    heights = [0.0] * count
    for drawing in drawings:
        at = heights.index(min(heights))
        columns[at].append(drawing)
        heights[at] += drawing.height + _MARGIN
    return [column for column in columns if column]


def _measure_shape(columns: Sequence[Sequence[_Drawing]]) -> float:
    width = sum(max(drawing.width for drawing in column) for column in columns)
    return width / max(sum(drawing.height for drawing in column) for column in columns)


def _show(drawing: _Drawing) -> Iterator[str]:
    yield f'<text x="0" y="14" font-size="15" font-weight="bold">{escape(drawing.title)}</text>'
    yield f'<g transform="translate(0,{_TITLE})">'
    for corners, has_head in drawing.layout.lines:
        path = " L".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        head = ' marker-end="url(#head)"' if has_head else ""
        yield f'<path d="M{path}" fill="none" stroke="#555"{head}/>'
    for node in drawing.layout.nodes:
        yield from _show_node(node)
    yield "</g>"


def _show_node(node: Node) -> Iterator[str]:
    if node.box is not None:
        colour = _COLOURS.get(node.box.kind, "#f2f2f2") if node.box.kind else "#f2f2f2"
        dashes = "" if node.box.is_tested else ' stroke-dasharray="5 4"'
        stroke = "#555" if node.box.is_tested else "#c77700"
        place = f'x="{node.x:.1f}" y="{node.y:.1f}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}"'
        hover = f"<title>{escape(node.box.text)}</title>"
        yield f'<rect {place} rx="6" fill="{colour}" stroke="{stroke}"{dashes}>{hover}</rect>'
        text = escape(_shorten(node.box.text, _LETTERS))
        yield f'<text x="{node.middle:.1f}" y="{node.y + 21:.1f}" text-anchor="middle">{text}</text>'
    elif node.is_end:
        yield f'<circle cx="{node.middle:.1f}" cy="{node.y + DOT / 2:.1f}" r="{DOT / 2 - 1}" fill="#555"/>'
    elif node.label:
        text = f'<text x="{node.middle:.1f}" y="{node.y + 12:.1f}" text-anchor="middle" font-size="10"'
        yield f'{text} fill="#333">{escape(node.label)}</text>'


def _shorten(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"
