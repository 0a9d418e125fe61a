"""Experiments: settings into arms, one suite, one budget and one queue for all, each arm kept as a run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assembly import Session, build_generator, build_parser, build_session
from du_eval.assembly.experiment_files import settle_arms, update_settings
from du_eval.assembly.keeping import complete_record, describe_test, keep_into, keep_run, open_kept
from du_eval.assembly.networked import Shared
from du_eval.assembly.selection import run_store
from du_eval.errors import InputError, Problem
from du_eval.evaluation.predict import OnResult
from du_eval.evaluation.record import TestRun
from du_eval.experiments.arms import ArmPlan, ExperimentPlan
from du_eval.experiments.asking import Contestant, SharedPlans, ask_in_turn
from du_eval.experiments.concluding import Course, Ending, conclude, shuffle
from du_eval.experiments.racing import divide
from du_eval.experiments.record import KIND, Arm, Experiment, Race, read_experiment, write_experiment
from du_eval.generators.base import CommandGenerator
from du_eval.runs.budget import Budget, StopRules
from du_eval.runs.engine import choose_engine
from du_eval.runs.keeping import Opening, OpenRun, open_run
from du_eval.runs.record import Status
from du_eval.settings.commands import TestSettings
from du_eval.statistics.verdict import Criteria


class ReadyArm(Struct, frozen=True):
    """An arm that can be asked: its settings have been checked, and its run is open."""

    plan: ArmPlan
    session: Session
    generator: CommandGenerator
    opened: OpenRun | None = None

    @property
    def name(self) -> str:
        """How the arm is called."""
        return self.plan.name


class ReadyExperiment(Struct, frozen=True):
    """Arms that can be asked, and where the experiment is written down."""

    plan: ExperimentPlan
    session: Session
    """What all arms share: the suite and its assistants."""
    arms: tuple[ReadyArm, ...]
    whole: Budget
    before: Experiment | None = None
    """The experiment that goes on."""
    opened: OpenRun | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is not wrong but may surprise, each once."""
        told = ["fail_under gates no arm of an experiment"] if self.session.config.gate else []
        return tuple(dict.fromkeys([*told, *(one for arm in self.arms for one in arm.session.warnings)]))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about arms that go on."""
        opened = [(arm.name, arm.opened) for arm in self.arms if arm.opened]
        return tuple(f"{name}: {note}" for name, run in opened for note in run.notes)

    @property
    def criteria(self) -> Criteria:
        """How sure verdicts must be."""
        config = self.session.config
        return Criteria(config.alpha, config.margin, config.seed)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Whom arms ask over the network."""
        configs = [arm.session.config for arm in self.arms]
        return tuple(dict.fromkeys(one for config in configs if (one := config.base_url or config.url)))


class Outcomes(Struct, frozen=True):
    """What became of the arms: their runs in order, and how the asking ended."""

    runs: Mapping[str, TestRun]
    seconds: float
    is_interrupted: bool = False
    stopped: str = ""
    race: Race | None = None


def prepare(
    plan: ExperimentPlan, flags: Mapping[str, object], environment: Mapping[str, str]
) -> ReadyExperiment:
    """Check everything; nothing is asked or written yet."""
    shared, configs = settle_arms(plan, flags, environment)
    before = _find_before(shared, plan)
    session = build_session(update_settings(shared, {"resume": None}))
    rules = session.evaluator.budget.rules
    whole = Budget(StopRules(rules.max_calls, rules.max_cost))
    generators = Shared(whole)
    arms = [
        _prepare_arm(session, arm, config, whole, generators)
        for arm, config in zip(plan.arms, configs, strict=True)
    ]
    return ReadyExperiment(plan, session, tuple(arms), whole, before)


def open_runs(ready: ReadyExperiment) -> ReadyExperiment:
    """Return the experiment with a run for each arm; one that goes on opens those it has."""
    if not ready.session.config.journal:
        return ready
    arms = tuple(_open_arm(arm, ready.before) for arm in ready.arms)
    return replace(ready, arms=arms, opened=_open_experiment(ready.plan, ready.session, arms, ready.before))


def _prepare_arm(
    session: Session, plan: ArmPlan, config: TestSettings, whole: Budget, shared: Shared
) -> ReadyArm:
    parser = build_parser(config)
    rules = session.evaluator.budget.rules
    budget = Budget(StopRules(None, None, rules.max_error_rate, rules.max_failed_cases), whole=whole)
    evaluator = replace(
        session.evaluator,
        parser=parser,
        budget=budget,
        parses_reasoning=config.reasoning == "parse",
        strict_output=config.strict_output,
    )
    own = replace(session, config=config, evaluator=evaluator)
    return ReadyArm(plan, own, build_generator(config, parser, budget, shared))


def _find_before(config: TestSettings, plan: ExperimentPlan) -> Experiment | None:
    """Return the experiment that goes on, if one does."""
    if config.resume is None:
        return None
    found = read_experiment(run_store(config).find(config.resume, KIND).folder)
    names = {arm.name for arm in plan.arms}
    gone = [arm.name for arm in found.arms if arm.name not in names]
    if gone:
        told = f"the experiment {found.id} has arms that are missing now: {', '.join(gone)}"
        raise InputError(Problem(plan.file, 0, told, "start a new experiment, or bring them back"))
    return found


def _open_arm(arm: ReadyArm, before: Experiment | None) -> ReadyArm:
    """Return an arm whose answers are written down; one that goes on keeps its run."""
    known = {one.name: one.run for one in before.arms} if before else {}
    config = arm.session.config.model_copy(update={"resume": known.get(arm.name) or None})
    session = replace(arm.session, config=config)
    name = str(getattr(arm.generator, "name", type(arm.generator).__name__))
    opened = open_kept(session.config, describe_test(session, name))
    return replace(arm, session=keep_into(opened, session), opened=opened)


def _open_experiment(
    plan: ExperimentPlan, session: Session, arms: Sequence[ReadyArm], before: Experiment | None
) -> OpenRun:
    """Return the folder of the experiment, begun after those of its arms: the last run is the whole."""
    time.sleep(0.002)  # names of runs have milliseconds
    config = session.config
    opening = Opening(
        kind=KIND,
        subject=f"{len(arms)} arms",
        files=tuple(filter(None, (plan.file,))),
        cases=tuple(case.id for case in session.suite),
        settings={"paths": config.paths},
        label=config.label or plan.name,
        seed=config.seed,
        steps=session.questions * len(arms),
    )
    opened = open_run(run_store(config), opening, before.id if before else None)
    manifest = opened.stored.manifest
    listed = tuple(map(_list_arm, arms))
    begun = Experiment(manifest.id, plan.name, plan.baseline, listed, started=manifest.started)
    write_experiment(opened.stored.folder, begun)
    return opened


def _list_arm(arm: ReadyArm) -> Arm:
    settings = {key: str(value) for key, value in arm.plan.values.items()}
    return Arm(arm.name, arm.opened.stored.id if arm.opened else "", settings)


def ask_arms(ready: ReadyExperiment, on_result: OnResult = lambda _: None) -> Outcomes:
    """Ask all arms in turn, and keep the run of each; what is finished when it is interrupted is kept."""
    with _work_apart(ready) as generators:
        return _ask(ready, generators, on_result)


def _work_apart(ready: ReadyExperiment) -> AbstractContextManager[list[CommandGenerator]]:
    """Return who answers for the arms: their generators, or some in each process that is asked for."""
    engine = choose_engine(ready.session.config)
    if not engine.is_wanted:
        return nullcontext([arm.generator for arm in ready.arms])
    from du_eval.assembly.apart import generate_apart

    return generate_apart([(arm.session, arm.generator) for arm in ready.arms], engine)


def _ask(ready: ReadyExperiment, generators: Sequence[CommandGenerator], on_result: OnResult) -> Outcomes:
    config = ready.session.config
    suite = shuffle(ready.session.suite, config.seed) if config.race else ready.session.suite
    plans = SharedPlans(ready.session.evaluator.planner, len(ready.arms))
    contestants = [
        Contestant(
            arm.name,
            arm.session.evaluator,
            arm.session.evaluator.begin(suite, generator, on_result, plans, ready.session.suite),
        )
        for arm, generator in zip(ready.arms, generators, strict=True)
    ]
    batch = config.batch if "batch" in config.model_fields_set else None
    sizes = divide(len(suite), batch) if config.race else [len(suite)]
    course = Course(contestants, sizes, config.alpha) if config.race else None
    start, is_interrupted = time.perf_counter(), False
    try:
        asyncio.run(ask_in_turn(contestants, sizes, ready.whole, course.look if course else lambda _: None))
    except KeyboardInterrupt:
        is_interrupted = True
    seconds = time.perf_counter() - start
    runs = {
        arm.name: _end_arm(arm, contestant, seconds, is_interrupted=is_interrupted)
        for arm, contestant in zip(ready.arms, contestants, strict=True)
    }
    race = course.describe(ready.session.questions) if course else None
    return Outcomes(runs, seconds, is_interrupted, ready.whole.reason, race)


def _end_arm(arm: ReadyArm, asked: Contestant, seconds: float, *, is_interrupted: bool) -> TestRun:
    """Return the run of an arm in the order of the suite, written down where runs are kept."""
    name = str(getattr(arm.generator, "name", type(arm.generator).__name__))
    result = asked.evaluator.end(asked.begun, name, seconds, is_interrupted=is_interrupted)
    record = complete_record(result, arm.session)
    return keep_run(arm.opened, record, arm.session.config) if arm.opened else record


def conclude_arms(ready: ReadyExperiment, outcomes: Outcomes, command: str = "") -> Experiment:
    """Return the record of an experiment, written down where runs are kept."""
    begun = (
        read_experiment(ready.opened.stored.folder)
        if ready.opened
        else Experiment("", ready.plan.name, ready.plan.baseline, tuple(map(_list_arm, ready.arms)))
    )
    status = Status.of(outcomes.stopped, is_interrupted=outcomes.is_interrupted)
    ending = Ending(
        outcomes.seconds, status, outcomes.stopped, outcomes.race, ready.session.config.max_errors
    )
    found = conclude(begun, outcomes.runs, ending, ready.criteria, command)
    if ready.opened is not None:
        _keep_experiment(ready.opened, found)
    return found


def _keep_experiment(opened: OpenRun, experiment: Experiment) -> None:
    opened.journal.close()
    write_experiment(opened.stored.folder, experiment)
    best = experiment.arm(experiment.best or experiment.baseline)
    advised = f": {experiment.decision.sentence.partition(': ')[0]}" if experiment.decision else ""
    ended = replace(
        opened.stored.manifest,
        status=experiment.status,
        ended=datetime.now(UTC).isoformat(),
        subject=f"{len(experiment.arms)} arms{advised}",
        figures={figure.name: figure.value for figure in best.figures},
        headline=("accuracy",),
    )
    opened.stored.write_manifest(ended)
