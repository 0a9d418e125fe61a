"""The steps of a flow as boxes and arrows, for diagrams of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from du_eval.assistants.engine.program import Program
from du_eval.assistants.steps import FlowStep, StepKind
from du_eval.evaluation.coverage import FlowCoverage

END = -1
"""The number of the box that ends a flow."""


class Box(Struct, frozen=True):
    """A step."""

    number: int
    text: str
    kind: StepKind | None
    is_tested: bool


class Arrow(Struct, frozen=True):
    """A way from one box to another."""

    start: int
    end: int
    label: str = ""


def boxes(found: FlowCoverage, *, has_suite: bool) -> Iterator[Box]:
    """Yield the steps of a flow, and its end."""
    for number, step in enumerate(found.program.steps):
        is_tested = not has_suite or found.program.ids[number] not in found.untested_steps
        yield Box(number, _text(step), step.kind, is_tested)
    yield Box(END, "end", None, is_tested=True)


def arrows(program: Program) -> Iterator[Arrow]:
    """Yield the ways between the steps of a flow."""
    for number, ways in enumerate(program.ways):
        if program.steps[number].kind is StepKind.LINK:
            continue
        for way in ways:
            target = END if way.target is None else way.target
            label = way.condition if way.condition is not None else ("else" if way.line else "")
            yield Arrow(number, target, label)


def _text(step: FlowStep) -> str:
    if step.kind is StepKind.SET_SLOTS:
        return "set " + ", ".join(f"{name} = {value}" for name, value in step.values)
    if step.kind is StepKind.NOOP:
        return "decide"
    words = {StepKind.COLLECT: "ask ", StepKind.LINK: "go to ", StepKind.CALL: "call "}
    return words.get(step.kind, "") + step.target


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
