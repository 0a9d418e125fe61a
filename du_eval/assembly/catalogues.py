"""The flows of an assistant: what a suite covers of them, and how it fares with other flows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from msgspec import Struct

from du_eval.assembly import Session, build_parser, build_session, build_stage
from du_eval.assistants.load import load_assistant
from du_eval.assistants.model import Assistant, Flow
from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, SetSlot, StartFlow
from du_eval.errors import AssistantError, ConfigError, did_you_mean, tell_count
from du_eval.evaluation.coverage import Coverage, measure_coverage
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.record import TestRun
from du_eval.evaluation.stress.measure import (
    CatalogueChange,
    CatalogueGenerator,
    ConfusedFlows,
    Foreign,
    StressPoint,
    add_twins,
    borrow_flows,
    find_confused,
    measure_point,
    paraphrase_flows,
    read_packaged,
    resize,
    shuffle_flows,
)
from du_eval.generators.base import CommandGenerator
from du_eval.runs.record import Status
from du_eval.settings.commands import TestSettings
from du_eval.suites.model import TestCase

Alter = Callable[[Assistant, frozenset[str]], Assistant]
"""Makes another catalogue from an assistant and the flows that a case needs."""


def build_coverage(config: TestSettings, *, with_suite: bool) -> Coverage:
    """Return the flows of the one assistant of a run, and what the suite exercises of them."""
    stage = build_stage(config.actions, config.action_endpoint)
    reader = ExpectationReader(build_parser(config))
    if not with_suite:
        assistant = load_assistant(config.assistant or "", skip_validation=config.skip_validation)
        return measure_coverage(assistant, (), reader, stage)
    session = build_session(config)
    found = {bot.path: bot for case in session.suite if (bot := session.assistants.of(case)) is not None}
    if len(found) != 1:
        names = ", ".join(found) or "none"
        raise AssistantError(
            f"only one assistant's flows can be shown at a time; these cases have: {names} "
            "(name the test files of one, or use --assistant)"
        )
    return measure_coverage(next(iter(found.values())), session.suite, reader, stage)


class StressPlan(Struct, frozen=True):
    """Which catalogues are tried."""

    sizes: tuple[int, ...]
    changes: tuple[CatalogueChange, ...]
    foreign: tuple[Foreign, ...]
    seed: int = 0


class Stress(Struct, frozen=True):
    """What was measured."""

    points: tuple[StressPoint, ...]
    confused: tuple[ConfusedFlows, ...]
    signature: str
    cases: int
    stopped: str = ""
    """Why not all catalogues were tried; empty otherwise."""


def plan_stress(sizes: str, changes: str, folders: Sequence[str], seed: int) -> StressPlan:
    """Read the sizes and changes that somebody wants, and the flows to add."""
    try:
        wanted = tuple(sorted({int(size) for size in sizes.split(",")}))
    except ValueError as error:
        raise ConfigError(f"--flows: '{sizes}' is not a list of numbers such as 5,20,50") from error
    if wanted[0] < 1:
        raise ConfigError("--flows: a catalogue has at least one flow")
    found = []
    for name in (part.strip() for part in changes.split(",") if part.strip()):
        if name not in set(CatalogueChange):
            hint = did_you_mean(name, list(CatalogueChange)) or f"choose from: {', '.join(CatalogueChange)}"
            raise ConfigError(f"--changes: unknown change '{name}'; {hint}")
        found.append(CatalogueChange(name))
    foreign = borrow_flows(map(load_assistant, folders)) if folders else read_packaged()
    return StressPlan(wanted, tuple(dict.fromkeys(found)), foreign, seed)


def measure_stress(session: Session, generator: CommandGenerator, plan: StressPlan) -> Stress:
    """Ask the suite once for each catalogue."""
    _refuse_without_assistant(session)
    needs = _find_needs(session)
    points: list[StressPoint] = []
    runs: list[tuple[TestRun, Mapping[str, Flow]]] = []
    for change, alter in _list_changes(plan):
        catalogues = _alter_all(session, needs, alter)
        run = session.evaluator.run(
            session.suite, asked := CatalogueGenerator(generator, catalogues), asked.name
        )
        if run.head.status is not Status.FINISHED:
            return _sum_up(points, runs, session, run.head.stopped or "interrupted")
        size = fmean(sum(flow.is_startable for flow in item.user_flows) for item in catalogues.values())
        points.append(measure_point(change, size, run))
        runs.append((run, {key: flow for item in catalogues.values() for key, flow in item.flows.items()}))
    return _sum_up(points, runs, session)


def _sum_up(
    points: Sequence[StressPoint],
    runs: Sequence[tuple[TestRun, Mapping[str, Flow]]],
    session: Session,
    stopped: str = "",
) -> Stress:
    signature = runs[0][0].head.signature if runs else ""
    return Stress(tuple(points), find_confused(runs), signature, len(session.suite.cases), stopped)


def _list_changes(plan: StressPlan) -> Iterator[tuple[CatalogueChange, Alter]]:
    if CatalogueChange.DISTRACTORS in plan.changes:
        for size in plan.sizes:
            yield (
                CatalogueChange.DISTRACTORS,
                lambda item, needed, size=size: resize(item, needed, size, plan.foreign, plan.seed),  # type: ignore[misc]
            )
    if CatalogueChange.NEAR in plan.changes:
        yield CatalogueChange.NEAR, lambda item, _: add_twins(item)
    if CatalogueChange.SHUFFLE in plan.changes:
        yield CatalogueChange.SHUFFLE, lambda item, _: shuffle_flows(item, plan.seed)
    if CatalogueChange.PARAPHRASE in plan.changes:
        yield CatalogueChange.PARAPHRASE, lambda item, _: paraphrase_flows(item)


def _alter_all(
    session: Session, needs: Mapping[tuple[str, str], frozenset[str]], alter: Alter
) -> dict[tuple[str, str, str], Assistant]:
    """Return the catalogue of each case; equal ones are one object, so that nothing is learnt twice."""
    known: dict[str, Assistant] = {}
    made: dict[tuple[str, str, str], Assistant] = {}
    for case in session.suite:
        assistant = session.assistants.of(case)
        if assistant is not None:
            altered = alter(assistant, needs[case.file, case.name])
            made[assistant.path, case.file, case.name] = known.setdefault(altered.path, altered)
    return made


def _find_needs(session: Session) -> dict[tuple[str, str], frozenset[str]]:
    """Return the flows without which a case cannot pass."""
    reader = ExpectationReader(session.evaluator.parser)
    needs: dict[tuple[str, str], frozenset[str]] = {}
    for case in session.suite:
        assistant = session.assistants.of(case)
        if assistant is not None:
            commands = [c for step in case.user_steps for group in reader.alternatives(step) for c in group]
            needs[case.file, case.name] = _needed_for(commands, assistant)
    return needs


def _needed_for(commands: Sequence[Command], assistant: Assistant) -> frozenset[str]:
    named = {command.flow for command in commands if isinstance(command, StartFlow)}
    named |= {flow for command in commands if isinstance(command, Clarify) for flow in command.options}
    set_slots = {command.slot for command in commands if isinstance(command, SetSlot)}
    waiting, found = list(named), set[str]()
    while waiting:
        flow = assistant.flows.get(waiting.pop())
        if flow is not None and flow.id not in found:
            found.add(flow.id)
            waiting += [*flow.calls, *flow.links]
    covered = {item.slot for flow in found for item in assistant.flows[flow].collects}
    for flow in assistant.user_flows:
        if (set_slots - covered) & {item.slot for item in flow.collects}:
            found.add(flow.id)
            covered |= {item.slot for item in flow.collects}
    return frozenset(found)


def _refuse_without_assistant(session: Session) -> None:
    without: list[TestCase] = [case for case in session.suite if session.assistants.of(case) is None]
    if without:
        raise ConfigError(
            f"no assistant was found for {tell_count(len(without), 'test case')}, "
            "so there is no catalogue to change; "
            "name the folder with flows and domain (--assistant DIR)"
        )
