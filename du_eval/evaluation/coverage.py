"""What a suite exercises of an assistant, found by replaying its gold commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from du_eval.assistants.engine.definition import Definition, build_default_patterns
from du_eval.assistants.engine.events import BotUttered, Event, FlowStarted, StepTaken
from du_eval.assistants.engine.program import Program
from du_eval.assistants.model import Assistant, Flow
from du_eval.commands.flows import SetSlot
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.replay import CaseReplay, Stage, exchanges
from du_eval.suites.model import BotStep, TestCase

_TECHNICAL = frozenset({"pattern_collect_information", "pattern_session_start", "pattern_internal_error"})


class _Seen(Struct):
    """What happened in all replays so far."""

    flows: dict[str, int] = field(default_factory=dict)
    steps: set[tuple[str, str]] = field(default_factory=set)
    branches: set[tuple[str, int]] = field(default_factory=set)
    slots: set[str] = field(default_factory=set)
    responses: set[str] = field(default_factory=set)
    stopped: int = 0

    def note(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, StepTaken):
                self.steps.add((event.flow, event.step))
                if event.branch is not None:
                    self.branches.add((event.flow, event.branch))
            elif isinstance(event, FlowStarted):
                self.flows[event.flow] = self.flows.get(event.flow, 0) + 1
            elif isinstance(event, BotUttered) and event.message.response:
                self.responses.add(event.message.response)


class Part(Struct, frozen=True):
    """How much of something a suite exercises."""

    total: int
    untested: tuple[str, ...] = ()

    @property
    def tested(self) -> int:
        """How many are exercised."""
        return self.total - len(self.untested)

    def __str__(self) -> str:
        return f"{self.tested} of {self.total}"


class FlowCoverage(Struct, frozen=True):
    """One flow, and how much of it a suite exercises."""

    flow: Flow
    program: Program
    starts: int
    steps: Part
    branches: Part
    slots: Part
    untested_steps: frozenset[str] = frozenset()


class Coverage(Struct, frozen=True):
    """An assistant, and how much of it a suite exercises; without a suite nothing is counted."""

    assistant: Assistant
    flows: tuple[FlowCoverage, ...]
    responses: Part
    patterns: Part
    cases: int = 0
    stopped: int = 0

    @property
    def has_suite(self) -> bool:
        """Tell whether there was anything to count."""
        return self.cases > 0

    @property
    def untested_flows(self) -> tuple[str, ...]:
        """The flows that no case reaches."""
        return tuple(found.flow.id for found in self.flows if not found.starts)


def measure_coverage(
    assistant: Assistant, cases: Iterable[TestCase], reader: ExpectationReader, stage: Stage
) -> Coverage:
    """Return what cases exercise of an assistant."""
    seen, count = _Seen(), 0
    for case in cases:
        _replay(case, assistant, reader, stage, seen)
        count += 1
    definition = Definition(assistant)
    flows = tuple(_flow(flow, definition, seen) for flow in assistant.user_flows)
    names = sorted(
        {*build_default_patterns().flows, *(flow.id for flow in assistant.flows.values() if flow.is_pattern)}
    )
    patterns = [name for name in names if name not in _TECHNICAL or name in assistant.flows]
    return Coverage(
        assistant,
        flows,
        Part(len(assistant.responses), tuple(sorted(set(assistant.responses) - seen.responses))),
        Part(len(patterns), tuple(name for name in patterns if name not in seen.flows)),
        count,
        seen.stopped,
    )


def _replay(
    case: TestCase, assistant: Assistant, reader: ExpectationReader, stage: Stage, seen: _Seen
) -> None:
    follower = CaseReplay(case, assistant, stage)
    advance = follower.start
    seen.note(advance.events)
    seen.responses.update(step.response for step in case.steps if isinstance(step, BotStep) and step.response)
    for exchange in exchanges(case):
        if exchange.user is None:
            continue
        commands = reader.alternatives(exchange.user)[0]
        seen.slots.update(command.slot for command in commands if isinstance(command, SetSlot))
        advance = follower.turn(advance.state, exchange.user, commands)
        seen.note(advance.events)
    seen.stopped += bool(advance.state.stopped)


def _flow(flow: Flow, definition: Definition, seen: _Seen) -> FlowCoverage:
    program = definition.program(flow.id)
    missing = tuple(step for step in program.ids if (flow.id, step) not in seen.steps)
    ways = _branches(program)
    untested = tuple(text for line, text in ways.items() if (flow.id, line) not in seen.branches)
    slots = tuple(dict.fromkeys(collect.slot for collect in flow.collects))
    return FlowCoverage(
        flow,
        program,
        seen.flows.get(flow.id, 0),
        Part(len(program.ids), missing),
        Part(len(ways), untested),
        Part(len(slots), tuple(slot for slot in slots if slot not in seen.slots)),
        frozenset(missing),
    )


def _branches(program: Program) -> Mapping[int, str]:
    """Return the branches of a flow by their line, in words."""
    found: dict[int, str] = {}
    for number, ways in enumerate(program.ways):
        for way in ways:
            if way.line:
                condition = way.condition if way.condition is not None else "else"
                found[way.line] = f"line {way.line}: {program.identify_step(number)}, {condition}"
    return found
