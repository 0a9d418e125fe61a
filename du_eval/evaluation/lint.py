"""The health of a suite: expectations that are likely wrong, and cases that add little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum

from msgspec import Struct

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, SetSlot, StartFlow
from du_eval.errors import tell_count
from du_eval.evaluation.compare import is_in_conversation
from du_eval.evaluation.plan import Planner, Probe
from du_eval.evaluation.replay import Replay
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.distance import text_distance
from du_eval.suites.model import TestCase, TestSuite

_NEAR = 0.12
_BUCKET = 300
_FEW = 3
_MOST = 0.8


class Severity(IntEnum):
    """How much a finding matters, the worst first."""

    LIKELY_WRONG = 1
    DOUBTFUL = 2
    NOTE = 3

    @property
    def words(self) -> str:
        """The severity for people."""
        return self.name.lower().replace("_", " ")


_RANKS = ("flow", "contradiction", "agreement", "bot step", "value", "duplicate", "no effect", "balance")
"""The kinds of findings, those that are most often right first."""


class LintFinding(Struct, frozen=True):
    """Something that a person should look at."""

    severity: Severity
    file: str
    line: int
    kind: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}{self.severity.words}: {self.message}"


def rank_findings(found: Iterable[LintFinding]) -> list[LintFinding]:
    """Return findings without repetition, the worst first, and of those the surest kinds first."""
    ranks = {kind: rank for rank, kind in enumerate(_RANKS)}
    return sorted(
        set(found),
        key=lambda one: (one.severity, ranks.get(one.kind, len(ranks)), one.file, one.line, one.message),
    )


class CaseProbes(Struct, frozen=True):
    """A case with the questions it asks."""

    case: TestCase
    probes: tuple[Probe, ...]
    assistant: Assistant | None
    replay: Replay | None = None


def findings(
    suite: TestSuite, planner: Planner, assistant_of: Callable[[TestCase], Assistant | None]
) -> list[LintFinding]:
    """Return what looks wrong in a suite, the worst first."""
    cases = [_probed(case, planner, assistant_of(case)) for case in suite]
    found: list[LintFinding] = []
    for check in _CHECKS:
        found.extend(check(cases))
    return rank_findings(found)


def _probed(case: TestCase, planner: Planner, assistant: Assistant | None) -> CaseProbes:
    plan = planner.plan(case, assistant)
    return CaseProbes(case, plan.probes, assistant, plan.replay)


def contradictions(cases: Iterable[CaseProbes]) -> Iterator[LintFinding]:
    """Yield steps that expect something else than an earlier step with the same message and history."""
    first: dict[object, Probe] = {}
    for case in cases:
        for probe in case.probes:
            request = probe.request
            turns = tuple((turn.speaker, turn.text.casefold(), turn.response) for turn in request.history)
            fixtures = repr(sorted(request.state.slots.items())) if not turns else ""
            other = first.setdefault((request.message.casefold().strip(), turns, fixtures), probe)
            if _expectation(other) != _expectation(probe):
                place = request.place
                message = (
                    f"'{request.message}' expects {_shown(probe)} here and {_shown(other)} at "
                    f"{other.request.place}, after the same conversation"
                )
                yield LintFinding(Severity.LIKELY_WRONG, place.file, place.line, "contradiction", message)


def _list_expected(cases: Iterable[CaseProbes]) -> Iterator[tuple[CaseProbes, Probe, Command]]:
    """Yield every command that a step expects, also among alternatives."""
    for case in cases:
        for probe in case.probes:
            for group in probe.alternatives:
                yield from ((case, probe, command) for command in group)


def strange_values(cases: Iterable[CaseProbes]) -> Iterator[LintFinding]:
    """Yield expected slot values of which nothing was said."""
    for case, probe, command in _list_expected(cases):
        if not isinstance(command, SetSlot):
            continue
        slot = case.assistant.slots.get(command.slot) if case.assistant else None
        texts = [turn.text for turn in probe.request.history] + [probe.request.message]
        if not is_in_conversation(command.value, slot, texts):
            place = probe.request.place
            message = f"the value '{command.value}' of {command.slot} occurs nowhere in the conversation"
            yield LintFinding(Severity.DOUBTFUL, place.file, place.line, "value", message)


def find_closed_flows(cases: Iterable[CaseProbes]) -> Iterator[LintFinding]:
    """Yield expectations that start a flow which no user can start."""
    for case, probe, command in _list_expected(cases):
        flows = case.assistant.flows if case.assistant else {}
        for flow in _flows_in(command):
            if flow in flows and not flows[flow].is_startable:
                place = probe.request.place
                message = f"the flow '{flow}' can never be started by a user"
                yield LintFinding(Severity.LIKELY_WRONG, place.file, place.line, "flow", message)


def bot_steps(cases: Iterable[CaseProbes]) -> Iterator[LintFinding]:
    """Yield bot steps that cannot follow: the replay of the case through the flows says something else."""
    for case in cases:
        for found in case.replay.differences if case.replay else ():
            after = f"after '{found.user}'" if found.user else "at the beginning"
            missing = ", ".join(found.expected[index] for index in found.missing)
            surplus = ", ".join(found.said[index] for index in found.surplus)
            parts = [f"does not say {missing}"] if missing else []
            parts += [f"also says {surplus}"] if surplus else []
            message = f"{after}, the bot {' and '.join(parts)}"
            yield LintFinding(Severity.DOUBTFUL, case.case.file, found.line, "bot step", message)


def idle_commands(cases: Iterable[CaseProbes]) -> Iterator[LintFinding]:
    """Yield expected commands that change nothing in the replay."""
    for case in cases:
        for found in case.replay.without_effect if case.replay else ():
            message = f"{found.command} has no effect here: {found.reason}"
            yield LintFinding(Severity.NOTE, case.case.file, found.line, "no effect", message)


def duplicates(cases: Sequence[CaseProbes]) -> Iterator[LintFinding]:
    """Yield cases that say and expect the same as an earlier one, or nearly so."""
    buckets: dict[object, list[CaseProbes]] = {}
    for case in cases:
        signature = tuple(_expectation(probe) for probe in case.probes)
        bucket = buckets.setdefault(signature, [])
        text = _said(case)
        for other in bucket[:_BUCKET]:
            before = _said(other)
            is_same = text == before
            if is_same or (abs(len(text) - len(before)) < 20 and text_distance(text, before) < _NEAR):
                kind = "says and expects the same as" if is_same else "is nearly the same as"
                message = (
                    f"'{case.case.name}' {kind} '{other.case.name}' at {other.case.file}:{other.case.line}"
                )
                severity = Severity.DOUBTFUL if is_same else Severity.NOTE
                yield LintFinding(severity, case.case.file, case.case.line, "duplicate", message)
                break
        bucket.append(case)


def imbalance(cases: Iterable[CaseProbes]) -> Iterator[LintFinding]:
    """Yield commands that the suite expects too rarely to be judged, or nearly always."""
    counts = Counter(
        command.name for case in cases for probe in case.probes for command in probe.alternatives[0]
    )
    total = sum(counts.values())
    for name, count in sorted(counts.items()) if total >= 20 else ():
        if count < _FEW:
            message = f"only {tell_count(count, 'expectation')} of '{name}': too few for its F1 to mean much"
            yield LintFinding(Severity.NOTE, "", 0, "balance", message)
        elif count > _MOST * total:
            message = f"{count} of {total} expectations are '{name}': averages say little about the others"
            yield LintFinding(Severity.NOTE, "", 0, "balance", message)


def find_untested_flows(cases: Sequence[CaseProbes]) -> Iterator[LintFinding]:
    """Yield flows that a user can start, that no case expects and that no expected flow leads to."""
    assistants = {case.assistant.path: case.assistant for case in cases if case.assistant}
    expected: dict[str, set[str]] = {path: set() for path in assistants}
    for case, _, command in _list_expected(cases):
        if case.assistant and isinstance(command, StartFlow):
            expected[case.assistant.path].add(command.flow)
    for path, assistant in assistants.items():
        reached = _reached(expected[path], assistant)
        for flow in assistant.user_flows:
            if flow.is_startable and flow.id not in reached:
                message = f"no case starts the flow '{flow.id}'"
                yield LintFinding(Severity.NOTE, flow.file, flow.line, "coverage", message)


def _reached(flows: set[str], assistant: Assistant) -> set[str]:
    """Return flows with those that they call or link to."""
    found: set[str] = set()
    waiting = list(flows)
    while waiting:
        name = waiting.pop()
        if name not in found and name in assistant.flows:
            found.add(name)
            waiting += [*assistant.flows[name].calls, *assistant.flows[name].links]
    return found


def _flows_in(command: Command) -> tuple[str, ...]:
    if isinstance(command, StartFlow):
        return (command.flow,)
    return command.options if isinstance(command, Clarify) else ()


def _expectation(probe: Probe) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(map(str, group)) for group in probe.alternatives)


def _shown(probe: Probe) -> str:
    groups = (", ".join(map(str, group)) or "no command" for group in probe.alternatives)
    return " or ".join(groups)


def _said(case: CaseProbes) -> str:
    return "\n".join(probe.request.message.casefold().strip() for probe in case.probes)


_CHECKS: tuple[Callable[[Sequence[CaseProbes]], Iterator[LintFinding]], ...] = (
    contradictions,
    strange_values,
    find_closed_flows,
    bot_steps,
    idle_commands,
    duplicates,
    imbalance,
    find_untested_flows,
)


Key = tuple[str, str, str, int]
_MANY = 3


def agreements(runs: Sequence[RunRecord], least: int = 2) -> Iterator[LintFinding]:
    """Yield failed steps for which at least so many different models predict the very same.

    Runs of one model are one witness, however many there are. Likely wrong is an expectation against which
    all of several models agree; two alone are only a reason to look.
    """
    answers: dict[Key, dict[tuple[str, ...], set[str]]] = {}
    asked: dict[Key, set[str]] = {}
    places: dict[Key, StepRecord] = {}
    for run in runs:
        witness = run.generator or run.name
        for step in run.steps:
            key = step.file, step.case, step.variant, step.step
            asked.setdefault(key, set()).add(witness)
            if step.outcome == "failed":
                places.setdefault(key, step)
                said = answers.setdefault(key, {})
                said.setdefault(tuple(sorted(step.predicted)), set()).add(witness)
    for key, found in answers.items():
        predicted, agreeing = max(found.items(), key=lambda item: (len(item[1]), item[0]))
        if len(agreeing) >= least:
            yield _finding(places[key], predicted, agreeing, asked[key])


def _finding(
    step: StepRecord, predicted: tuple[str, ...], agreeing: set[str], asked: set[str]
) -> LintFinding:
    message = (
        f"{len(agreeing)} of {len(asked)} models predict {', '.join(predicted) or 'no command'} for "
        f"'{step.message}', and {', '.join(step.expected) or 'no command'} is expected"
    )
    is_sure = agreeing == asked and len(agreeing) >= _MANY
    severity = Severity.LIKELY_WRONG if is_sure else Severity.DOUBTFUL
    return LintFinding(severity, step.file, step.line, "agreement", message)
