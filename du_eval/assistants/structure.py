"""Whether the steps of a flow hang together: every way leads on, every step can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from du_eval.assistants.reading import Reader
from du_eval.assistants.steps import END, FlowStep, StepKind, walk_steps

RESERVED_IDS = frozenset({END, "START"})
_HOW_TO_END = "end it with 'next: END' or the id of a step"


def check_structure(flow_id: str, steps: tuple[FlowStep, ...], reader: Reader) -> None:
    """Note everything that is wrong with the steps of a flow."""
    _check_ids(flow_id, steps, reader)
    for step in walk_steps(steps):
        _check_step(flow_id, step, reader)
    _check_reach(flow_id, steps, reader)


def _check_ids(flow_id: str, steps: tuple[FlowStep, ...], reader: Reader) -> None:
    first: dict[str, int] = {}
    for step in walk_steps(steps):
        if step.id in RESERVED_IDS:
            message = f"'{step.id}' cannot be the id of a step: the flow '{flow_id}' uses it itself"
            reader.refuse(step.line, message, rule="id-is-free")
        elif step.id and step.id in first:
            message = (
                f"the flow '{flow_id}' has two steps with the id '{step.id}' (first in line {first[step.id]})"
            )
            reader.refuse(step.line, message, "rename one of them", "id-is-unique")
        first.setdefault(step.id, step.line)


def _check_step(flow_id: str, step: FlowStep, reader: Reader) -> None:
    if step.kind is StepKind.LINK and step.next:
        hint = "a link ends its flow: remove the 'next'"
        reader.refuse(step.line, f"a link of the flow '{flow_id}' has a 'next'", hint, "link-ends-flow")
    if step.kind is StepKind.NOOP and not step.next:
        hint = "a noop exists only to branch"
        reader.refuse(step.line, f"a noop of the flow '{flow_id}' has no 'next'", hint, "noop-has-next")
    if not isinstance(step.next, tuple):
        return
    if not step.next or step.next[-1].condition is not None:
        line = step.next[-1].line if step.next else step.line
        message = f"the conditions of a step in the flow '{flow_id}' do not end with an 'else'"
        reader.refuse(line, message, rule="branches-end-with-else")
    for branch in step.next[:-1]:
        if branch.condition is None:
            message = f"an 'else' of the flow '{flow_id}' is not the last branch"
            reader.refuse(branch.line, message, "move it to the end", "branches-end-with-else")
    for branch in step.next:
        if isinstance(branch.target, tuple):
            _check_branch(flow_id, branch.target, branch.line, reader)


def _check_branch(flow_id: str, steps: tuple[FlowStep, ...], line: int, reader: Reader) -> None:
    if not steps:
        hint = "name a step id, END, or list steps"
        reader.refuse(line, f"a branch of the flow '{flow_id}' is empty", hint, "branch-has-steps")
    elif not steps[-1].next and steps[-1].kind is not StepKind.LINK:
        message = f"the last step of a branch of the flow '{flow_id}' has no 'next'"
        reader.refuse(steps[-1].line, message, _HOW_TO_END, "branch-leads-on")


def _check_reach(flow_id: str, steps: tuple[FlowStep, ...], reader: Reader) -> None:
    """Note steps that no way leads to; a jump to an id that is made up could lead anywhere."""
    by_id = {step.id: step for step in walk_steps(steps) if step.id}
    following = dict(_following(steps))
    jumps = [target for step in walk_steps(steps) for target in _targets(step)]
    if not steps or any(target not in by_id and target != END for target in jumps):
        return
    reached: set[int] = set()
    waiting = [steps[0]]
    while waiting:
        step = waiting.pop()
        if id(step) in reached:
            continue
        reached.add(id(step))
        waiting.extend(_ways_on(step, by_id, following))
    for step in walk_steps(steps):
        if id(step) not in reached:
            message = f"this step of the flow '{flow_id}' can never be reached"
            reader.refuse(
                step.line, message, "refer to its id in a 'next', or remove it", "step-is-reachable"
            )
            return


def _following(steps: tuple[FlowStep, ...]) -> Iterator[tuple[int, FlowStep]]:
    """Yield each step's identity with the step that stands after it in its list."""
    for step, after in pairwise(steps):
        yield id(step), after
    for step in steps:
        for branch in step.next if isinstance(step.next, tuple) else ():
            if isinstance(branch.target, tuple):
                yield from _following(branch.target)


def _targets(step: FlowStep) -> Iterator[str]:
    if isinstance(step.next, str):
        yield step.next
    elif step.next:
        yield from (branch.target for branch in step.next if isinstance(branch.target, str))


def _ways_on(
    step: FlowStep, by_id: dict[str, FlowStep], following: dict[int, FlowStep]
) -> Iterator[FlowStep]:
    if step.next is None:
        if step.kind is not StepKind.LINK and id(step) in following:
            yield following[id(step)]
        return
    yield from (by_id[target] for target in _targets(step) if target in by_id)
    for branch in step.next if isinstance(step.next, tuple) else ():
        if isinstance(branch.target, tuple) and branch.target:
            yield branch.target[0]
