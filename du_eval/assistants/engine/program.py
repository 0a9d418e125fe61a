"""A flow as a list of numbered steps, each knowing its ways on."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from msgspec import Struct

from du_eval.assistants.model import Flow
from du_eval.assistants.steps import END, Collect, FlowStep, StepKind, walk_steps


class Way(Struct, frozen=True):
    """A way on: the condition for it, the step it leads to (None: the end), and where it is written."""

    condition: str | None
    target: int | None
    line: int = 0


class Program(Struct, frozen=True):
    """The steps of a flow in the order of the file, and the ways on from each."""

    flow: Flow
    steps: tuple[FlowStep, ...]
    ids: tuple[str, ...]
    ways: tuple[tuple[Way, ...], ...]

    def identify_step(self, step: int) -> str:
        """Return the id of a step, a made up one where its author gave none."""
        return self.ids[step] if 0 <= step < len(self.ids) else ("START" if step < 0 else END)


def compile_flow(flow: Flow) -> Program:
    """Return the program of a flow; one that is made without steps asks for its slots in turn."""
    written = flow.steps or tuple(_asking(collect) for collect in flow.collects)
    steps = tuple(walk_steps(written))
    ids = tuple(step.id or f"{number}_{_suffix(step)}" for number, step in enumerate(steps))
    numbers = {id(step): number for number, step in enumerate(steps)}
    by_id = {name: number for number, name in reversed(list(enumerate(ids)))}
    after: dict[int, int] = {}
    _note_following(written, numbers, after)
    ways = tuple(_ways(step, by_id, numbers, after) for step in steps)
    return Program(flow, steps, ids, ways)


def _asking(collect: Collect) -> FlowStep:
    return FlowStep(StepKind.COLLECT, collect.slot, collect=collect, line=collect.line)


def _suffix(step: FlowStep) -> str:
    if step.kind is StepKind.ACTION:
        return step.target
    return f"{step.kind}_{step.target}" if step.target else str(step.kind)


def _note_following(steps: tuple[FlowStep, ...], numbers: Mapping[int, int], after: dict[int, int]) -> None:
    for step, following in pairwise(steps):
        after[numbers[id(step)]] = numbers[id(following)]
    for step in steps:
        for branch in step.next if isinstance(step.next, tuple) else ():
            if isinstance(branch.target, tuple):
                _note_following(branch.target, numbers, after)


def _ways(
    step: FlowStep, by_id: Mapping[str, int], numbers: Mapping[int, int], after: Mapping[int, int]
) -> tuple[Way, ...]:
    if step.next is None:
        following = None if step.kind is StepKind.LINK else after.get(numbers[id(step)])
        return (Way(None, following),)
    if isinstance(step.next, str):
        return (Way(None, by_id.get(step.next)),)
    found = []
    for branch in step.next:
        target = branch.target
        number = (
            by_id.get(target) if isinstance(target, str) else (numbers[id(target[0])] if target else None)
        )
        found.append(Way(branch.condition, number, branch.line))
    return tuple(found)
