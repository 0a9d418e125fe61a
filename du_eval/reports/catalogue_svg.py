"""Flows as a drawing: boxes in layers, arrows between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from du_eval.assistants.steps import StepKind
from du_eval.evaluation.coverage import FlowCoverage
from du_eval.reports.catalogue_graph import END, Arrow, Box, arrows, boxes

_WIDTH, _HEIGHT, _ACROSS, _DOWN, _MARGIN, _TITLE = 230, 34, 40, 44, 24, 40
_LETTERS = 32
_COLOURS = {
    StepKind.COLLECT: "#e3efff",
    StepKind.ACTION: "#e9f7e9",
    StepKind.CALL: "#f3e8ff",
    StepKind.LINK: "#f3e8ff",
}


@dataclass(frozen=True, slots=True)
class _Placed:
    """A box with its place on the page."""

    box: Box
    x: int
    y: int

    @property
    def middle(self) -> int:
        return self.x + _WIDTH // 2


def svg(flows: Sequence[FlowCoverage], *, has_suite: bool) -> str:
    """Return a page with all flows, one below the other."""
    parts: list[str] = []
    top, width = _MARGIN, 0
    for found in flows:
        placed = _placed(found, top + _TITLE, has_suite=has_suite)
        parts.extend(_flow(found, placed, top))
        width = max(width, *(item.x + _WIDTH + _ACROSS for item in placed.values()))
        top = max(item.y for item in placed.values()) + _HEIGHT + _MARGIN * 2
    size = f'width="{width + _MARGIN}" height="{top}" viewBox="0 0 {width + _MARGIN} {top}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    return "\n".join([head, _ARROW_HEAD, f'<rect {size} fill="white"/>', *parts, "</svg>", ""])


_ARROW_HEAD = (
    '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
    'orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#555"/></marker></defs>'
)


def _placed(found: FlowCoverage, top: int, *, has_suite: bool) -> dict[int, _Placed]:
    """Return the boxes in layers: each below the boxes that lead to it."""
    layers = _layers(found)
    used: dict[int, int] = {}
    placed: dict[int, _Placed] = {}
    for box in boxes(found, has_suite=has_suite):
        if box.number == END:
            continue
        layer = layers.get(box.number, 0)
        column = used.get(layer, 0)
        used[layer] = column + 1
        placed[box.number] = _Placed(
            box, _MARGIN + column * (_WIDTH + _ACROSS), top + layer * (_HEIGHT + _DOWN)
        )
    return placed


def _layers(found: FlowCoverage) -> dict[int, int]:
    """Return the layer of each step: below all that lead to it; jumps back count for nothing."""
    layers = {0: 0}
    forward = [arrow for arrow in arrows(found.program) if arrow.end > arrow.start]
    for arrow in sorted(forward, key=lambda arrow: arrow.start):
        layers[arrow.end] = max(layers.get(arrow.end, 0), layers.get(arrow.start, 0) + 1)
    return layers


def _flow(found: FlowCoverage, placed: dict[int, _Placed], top: int) -> Iterator[str]:
    title = escape(f"{found.flow.id}: {found.flow.readable_name}")
    yield f'<text x="{_MARGIN}" y="{top + 16}" font-size="15" font-weight="bold">{title}</text>'
    for arrow in arrows(found.program):
        yield from _arrow(arrow, placed)
    for item in placed.values():
        yield from _box(item)


def _box(item: _Placed) -> Iterator[str]:
    box = item.box
    colour = _COLOURS.get(box.kind, "#f2f2f2") if box.kind else "#f2f2f2"
    dashes = "" if box.is_tested else ' stroke-dasharray="5 4"'
    stroke = "#555" if box.is_tested else "#c77700"
    place = f'x="{item.x}" y="{item.y}" width="{_WIDTH}" height="{_HEIGHT}"'
    hover = f"<title>{escape(box.text)}</title>"
    yield f'<rect {place} rx="6" fill="{colour}" stroke="{stroke}"{dashes}>{hover}</rect>'
    text = escape(_shortened(box.text))
    yield f'<text x="{item.middle}" y="{item.y + 21}" text-anchor="middle">{text}</text>'


def _arrow(arrow: Arrow, placed: dict[int, _Placed]) -> Iterator[str]:
    start = placed[arrow.start]
    if arrow.end == END:
        yield from _end(arrow, start)
        return
    end = placed[arrow.end]
    if start.y < end.y <= start.y + _HEIGHT + _DOWN:
        x1, x2, y1, half = start.middle, end.middle, start.y + _HEIGHT, (start.y + _HEIGHT + end.y) // 2
        path = f"M{x1},{y1} C{x1},{half} {x2},{half} {x2},{end.y}"
    else:
        path = _around(start, end)
    yield f'<path d="{path}" fill="none" stroke="#555" marker-end="url(#head)"/>'
    yield from _label(arrow.label, end.middle + 6, end.y - 7)


def _around(start: _Placed, end: _Placed) -> str:
    """Return a way along the right side: back, or past boxes in between."""
    y1, y2 = start.y + _HEIGHT // 2, end.y + _HEIGHT // 3
    x1, x2 = start.x + _WIDTH, end.x + _WIDTH
    far = max(x1, x2) + 30
    return f"M{x1},{y1} C{far},{y1} {far},{y2} {x2},{y2}"


def _end(arrow: Arrow, start: _Placed) -> Iterator[str]:
    """Draw the end of a flow as a dot below the step that leads to it."""
    x, y = start.x + 24, start.y + _HEIGHT
    yield f'<path d="M{x},{y} L{x},{y + 12}" stroke="#555"/>'
    yield f'<circle cx="{x}" cy="{y + 16}" r="5" fill="#555"/>'
    yield from _label(arrow.label, x + 10, y + 20)


def _label(text: str, x: int, y: int) -> Iterator[str]:
    if text:
        yield f'<text x="{x}" y="{y}" font-size="10" fill="#333">{escape(_shortened(text))}</text>'


def _shortened(text: str) -> str:
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
