"""A judged run of command tests as the record that is stored, shown and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from du_eval import __version__
from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot, StartFlow
from du_eval.evaluation.aggregate import (
    CONFIDENCE,
    CommandScores,
    flow_counts,
    measure_cases,
    measure_steps,
    score_commands,
    slot_counts,
    step_counts,
    sum_quantities,
)
from du_eval.evaluation.compare import EXACT, JudgingPolicy
from du_eval.evaluation.confusion import tabulate_confusion
from du_eval.evaluation.detail import (
    KIND,
    BotFinding,
    BotSide,
    DriveSeen,
    IdleCommand,
    ReplayStop,
    StateSeen,
    StepDetail,
    StepMistake,
    TestExtra,
)
from du_eval.evaluation.gap import exposure_gap
from du_eval.evaluation.plan import key_of
from du_eval.evaluation.results import CaseResult, Drive, RunResult, StepResult
from du_eval.evaluation.sampling import repeats_of
from du_eval.evaluation.taxonomy import Residual, mistakes_of
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Check, Head, Result, Run, Status
from du_eval.statistics.clusters import METHOD, clustered_proportion
from du_eval.statistics.counts import Counts
from du_eval.statistics.f1 import METHOD as F1_METHOD

if TYPE_CHECKING:
    from du_eval.evaluation.goals import Goals
    from du_eval.evaluation.robustness import Robustness

Spell = Callable[[Command], str]
TestRun = Run[StepDetail, TestExtra]
UNIT = "user steps"


def record_test(
    run: RunResult,
    spell: Spell = str,
    head: Head | None = None,
    goals: Goals | None = None,
    robustness: Robustness | None = None,
) -> TestRun:
    """Return the record of a judged run; `head` brings what only the caller knows: id, label, start."""
    maker, scores = _Recording(spell, run.policy), score_commands(run)
    return Run(
        head=_head(run, head or Head(KIND.name)),
        cases=tuple(map(maker.case, run.cases)),
        figures=(*_measure_run(run), *list_score_figures(scores, goals)),
        notes=run.notes,
        extra=TestExtra(
            commands=scores.commands,
            confusion=tabulate_confusion(run.cases),
            flows=flow_counts(run.steps()),
            slots=slot_counts(run.steps()),
            skipped=scores.skipped,
            quantities=sum_quantities(run),
            repeats=repeats_of(run, CONFIDENCE),
            robustness=robustness,
            goals=goals.figures if goals else (),
            joints=tuple(goals.joints.items()) if goals else (),
            bot=_bot_side(run),
            gap=exposure_gap(run),
            drives=tuple(maker.drive(case.id, case.drive) for case in run.cases if case.drive),
        ),
    )


def record_case(case: CaseResult, spell: Spell = str, policy: JudgingPolicy = EXACT) -> Case[StepDetail]:
    """Return the record of one case."""
    return _Recording(spell, policy).case(case)


def _head(run: RunResult, head: Head) -> Head:
    status = Status.INTERRUPTED if run.is_interrupted else Status.STOPPED if run.stopped else Status.FINISHED
    return replace(
        head,
        subject=run.generator,
        unit=UNIT,
        seconds=run.seconds,
        status=status,
        stopped=run.stopped,
        samples=run.samples,
        signature=_sign(run),
        settings={**head.settings, "match": run.policy.name, "syntax": run.syntax, **dict(run.settings)},
        spent=run.spent,
    )


def _sign(run: RunResult) -> str:
    """Return what makes the numbers reproducible."""
    parts: dict[str, object] = {
        "match": run.policy.name,
        "syntax": run.syntax,
        "generator": run.generator,
        "cases": len(run.cases),
        **({"samples": run.samples} if run.samples > 1 else {}),
        "intervals": f"{METHOD}+{F1_METHOD}@{CONFIDENCE:g}",
        "du-eval": __version__,
        **({"history": run.history} if run.history != "gold" else {}),
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def _measure_run(run: RunResult) -> Iterator[Figure]:
    """Yield the accuracies: of steps, of cases, and of steps if everything had come in the right form."""
    steps = measure_steps(run)
    yield Figure("accuracy", steps, "user steps understood", is_headline=True)
    yield Figure("accuracy.cases", measure_cases(run), "test cases passed", is_headline=True)
    judged = [[step for step in case.steps if step.outcome is not Outcome.ERRORED] for case in run.cases]
    found = clustered_proportion([(sum(map(_is_right, mine)), len(mine)) for mine in judged])
    perfect = replace(found, missing=steps.missing)
    yield Figure("accuracy.perfect_form", perfect, "accuracy if the format were perfect")


def list_score_figures(scores: CommandScores, goals: Goals | None = None) -> Iterator[Figure]:
    """Yield averages of F1, goals, and F1, precision and recall of each command.

    A command that has the name of an average, such as `macro`, is `f1.command.macro`.
    """
    for name, measured in scores.averages.items():
        yield Figure(f"f1.{name}", measured, f"F1, {name} average", is_headline=name != "weighted")
    for goal in goals.figures if goals else ():
        yield Figure(goal.key, goal.measurement, goal.name)
    for name, score in scores.commands.items():
        key = name.replace(" ", "_")
        f1 = f"f1.command.{key}" if key in scores.averages else f"f1.{key}"
        yield Figure(f1, score.f1, f"F1 of {name}")
        yield Figure(f"precision.{key}", score.precision, f"precision of {name}")
        yield Figure(f"recall.{key}", score.recall, f"recall of {name}")


def _is_right(step: StepResult) -> bool:
    return step.outcome is Outcome.PASSED or step.explanation.passes_in_perfect_form


@dataclass(frozen=True)
class _Recording:
    """Turns judged steps into results."""

    spell: Spell
    policy: JudgingPolicy

    def case(self, case: CaseResult) -> Case[StepDetail]:
        counts = {step.place: found for step, found in step_counts(case, self.policy)}
        is_strict = case.is_strict and case.replay is not None and bool(case.replay.differences)
        return Case(
            case.file,
            case.name,
            tuple(
                self.step(step, residuals, counts.get(step.place, {}), tuple(_checks(case, step)))
                for step, residuals in mistakes_of(case)
            ),
            line=case.line,
            variant=key_of(case.steps[0].place).variant if case.steps[0].place.twin else "",
            ratio=case.ratio,
            length=case.length,
            failure="a bot step differs from the replay (--strict-bot)" if is_strict else "",
        )

    def step(
        self,
        step: StepResult,
        residuals: tuple[Residual, ...] = (),
        counts: Mapping[str, Counts] | None = None,
        checks: tuple[Check, ...] = (),
    ) -> Result[StepDetail]:
        mistakes = tuple(self._mistake(one) for one in residuals)
        return Result(
            key_of(step.place),
            step.outcome,
            self._detail(step, mistakes),
            asked=step.message,
            expected=self._spelled(step.expected),
            actual=self._spelled(step.predicted),
            mistakes=tuple(one.kind for one in mistakes),
            checks=checks,
            error=step.error,
            line=step.place.line,
            question=step.question,
            counts=counts or {},
            seconds=step.latency_seconds,
        )

    def drive(self, case: str, drive: Drive) -> DriveSeen:
        steps = tuple(map(self.step, drive.steps))
        return DriveSeen(case, steps, drive.diverged_at, drive.recovered_at, drive.reused, drive.stopped)

    def _detail(self, step: StepResult, mistakes: tuple[StepMistake, ...]) -> StepDetail:
        has_passed = step.outcome is Outcome.PASSED
        return StepDetail(
            missing=self._spelled(step.diff.missing),
            unexpected=self._spelled(step.diff.unexpected),
            components=tuple((name, self._spelled(commands)) for name, commands in step.components),
            flows=_named(step, lambda one: one.flow if isinstance(one, StartFlow) else None),
            slots=_named(step, lambda one: one.slot if isinstance(one, SetSlot) else None),
            unparsed=step.unparsed,
            unknown_flows=step.unknown_flows,
            raw=step.raw or "",
            mistakes=mistakes,
            conversation=() if has_passed else tuple(step.history),
            state=None if has_passed else _state(step),
            explanation=step.explanation,
            prompts=step.prompts,
            latencies=step.latencies,
        )

    def _mistake(self, residual: Residual) -> StepMistake:
        return StepMistake(
            residual.kind.value,
            self.spell(residual.expected) if residual.expected else "",
            self.spell(residual.predicted) if residual.predicted else "",
            None if residual.distance is None else round(residual.distance, 3),
        )

    def _spelled(self, commands: tuple[Command, ...]) -> tuple[str, ...]:
        return tuple(map(self.spell, commands))


def _named(step: StepResult, name: Callable[[Command], str | None]) -> tuple[str, ...]:
    """Return the names in expected and predicted commands, each once."""
    found = (name(command) for command in (*step.expected, *step.predicted))
    return tuple(dict.fromkeys(one for one in found if one is not None))


def _state(step: StepResult) -> StateSeen | None:
    state = step.state
    slots = {name: str(value) for name, value in state.slots.items() if value is not None}
    found = StateSeen(state.active_flow or "", state.asked_slot or "", slots)
    return found if found != StateSeen() else None


def _checks(case: CaseResult, step: StepResult) -> Iterator[Check]:
    """Yield what else can be said of a step: about the text of its answer, and about the replay."""
    if step.outcome is not Outcome.ERRORED:
        yield _check("output is parsed", holds=not step.unparsed)
        yield _check("flows are known", holds=not step.unknown_flows)
    replay, line = case.replay, step.place.line
    if replay is not None and (not replay.stopped or line < replay.stopped_line):
        yield _check("bot steps follow", holds=all(found.line != line for found in replay.differences))
        idle = all(found.line != line for found in replay.without_effect)
        yield _check("commands have an effect", holds=idle)


@cache
def _check(name: str, *, holds: bool) -> Check:
    return Check(name, Outcome.PASSED if holds else Outcome.FAILED)


def _bot_side(run: RunResult) -> BotSide | None:
    replayed = [(case, case.replay) for case in run.cases if case.replay is not None]
    if not replayed:
        return None
    return BotSide(
        checked=sum(replay.checked for _, replay in replayed),
        differing=sum(replay.differing for _, replay in replayed),
        unchecked=sum(replay.unchecked for _, replay in replayed),
        differences=tuple(
            BotFinding(case.file, case.name, found)
            for case, replay in replayed
            for found in replay.differences
        ),
        idle=tuple(
            IdleCommand(case.file, case.name, found.line, found.command.to_dsl(), found.reason)
            for case, replay in replayed
            for found in replay.without_effect
        ),
        stops=tuple(
            ReplayStop(case.file, case.name, replay.stopped_at, replay.stopped_line, replay.stopped)
            for case, replay in replayed
            if replay.stopped
        ),
    )
