"""Flows as a Mermaid diagram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from du_eval.assistants.steps import StepKind
from du_eval.evaluation.coverage import FlowCoverage
from du_eval.reports.catalogue_graph import END, Box, arrows, boxes

_SHAPES: dict[StepKind | None, tuple[str, str]] = {
    StepKind.COLLECT: ("[/", "/]"),
    StepKind.NOOP: ("{", "}"),
    StepKind.CALL: ("[[", "]]"),
    StepKind.LINK: (">", "]"),
    None: ("((", "))"),
}


def mermaid(flows: Sequence[FlowCoverage], *, has_suite: bool) -> str:
    """Return the flows as one flowchart, each in a frame of its own."""
    return "\n".join([*_lines(flows, has_suite=has_suite), ""])


def _lines(flows: Sequence[FlowCoverage], *, has_suite: bool) -> Iterator[str]:
    yield "flowchart TD"
    for found in flows:
        name = found.flow.id
        yield f'  subgraph {_id(name)}["{_escaped(found.flow.readable_name)}"]'
        for box in boxes(found, has_suite=has_suite):
            yield f"    {_node(name, box)}"
        for arrow in arrows(found.program):
            label = f'|"{_escaped(arrow.label)}"|' if arrow.label else ""
            yield f"    {_ref(name, arrow.start)} -->{label} {_ref(name, arrow.end)}"
        yield "  end"
    yield "  classDef untested stroke-dasharray: 5 5,fill:#fff4e5,stroke:#c77700"


def _node(flow: str, box: Box) -> str:
    opening, closing = _SHAPES.get(box.kind, ("[", "]"))
    mark = "" if box.is_tested else ":::untested"
    return f'{_ref(flow, box.number)}{opening}"{_escaped(box.text)}"{closing}{mark}'


def _ref(flow: str, number: int) -> str:
    return f"{_id(flow)}_{'end' if number == END else number}"


def _id(flow: str) -> str:
    return "f_" + "".join(character if character.isalnum() else "_" for character in flow)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
