"""Drawings of flows: no line runs through a box, no label covers another one."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.assistants.steps import StepKind
from du_eval.reports.catalogue_graph import END, Arrow, Box
from du_eval.reports.catalogue_layout import Layout, Node, Point, lay_out


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Box], list[Arrow]]:
    count = draw(st.integers(1, 9))
    boxes = [Box(number, f"step {number}", StepKind.ACTION, is_tested=True) for number in range(count)]
    arrows = []
    for number in range(count):
        targets = draw(st.lists(st.integers(-1, count - 1), min_size=1, max_size=3, unique=True))
        for target in targets:
            label = draw(st.sampled_from(["", "else", "slots.amount > 100 and slots.sure"]))
            arrows.append(Arrow(number, END if target < 0 else target, label))
    return boxes, arrows


def overlaps(first: Node, second: Node) -> bool:
    across = first.x < second.x + second.width and second.x < first.x + first.width
    return across and first.y < second.y + second.height and second.y < first.y + first.height


def runs_through(start: Point, end: Point, node: Node) -> bool:
    """Tell whether a line, which is upright or level, lies within a node."""
    (x1, x2), (y1, y2) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    across = x1 < node.x + node.width - 0.01 and node.x + 0.01 < x2 + 0.001
    return across and y1 < node.y + node.height - 0.01 and node.y + 0.01 < y2


def check(layout: Layout) -> None:
    solid = [node for node in layout.nodes if node.box or node.label or node.is_end]
    assert not [pair for pair in combinations(solid, 2) if overlaps(*pair)]
    for corners, _ in layout.lines:
        for start, end in pairwise(corners):
            assert abs(start[0] - end[0]) <= 1 or start[1] == end[1]
            assert not [node for node in solid if runs_through(start, end, node)]
    assert all(0 <= node.x <= layout.width and 0 <= node.y <= layout.height for node in layout.nodes)


@given(graphs())
@settings(max_examples=150, deadline=None)
def test_no_line_runs_through_a_box_and_no_label_covers_another(graph: tuple[list[Box], list[Arrow]]) -> None:
    check(lay_out(*graph))


def test_each_end_has_a_dot_of_its_own_and_each_label_lies_on_its_arrow() -> None:
    boxes = [Box(number, "x", StepKind.ACTION, is_tested=True) for number in range(2)]
    found = lay_out(boxes, [Arrow(0, 1, "yes"), Arrow(0, END, "no"), Arrow(1, END)])
    assert sum(node.is_end for node in found.nodes) == 2
    yes = next(node for node in found.nodes if node.label == "yes")
    ends = [corners[-1] for corners, _ in found.lines]
    assert (yes.middle, yes.y) in ends
