"""Judged answers of command tests as the record that is stored, shown and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from du_eval import __version__
from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot
from du_eval.evaluation.aggregate import (
    CONFIDENCE,
    CommandScores,
    Unasked,
    flow_counts,
    measure_cases,
    measure_steps,
    score_commands,
    slot_counts,
    step_counts,
    sum_quantities,
)
from du_eval.evaluation.compare import JudgingPolicy
from du_eval.evaluation.confusion import tabulate_confusion
from du_eval.evaluation.detail import BotFinding, BotSide, IdleCommand, ReplayStop, TestExtra
from du_eval.evaluation.gap import exposure_gap
from du_eval.evaluation.replay import Replay
from du_eval.evaluation.sampling import repeats_of
from du_eval.evaluation.step import (
    DriveSeen,
    JudgedCase,
    JudgedStep,
    StepDetail,
    StepMistake,
    without_commands,
)
from du_eval.evaluation.taxonomy import Filled, Mistake, Residual, list_mistakes
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Check, Head, Run
from du_eval.statistics.clusters import METHOD, clustered_proportion
from du_eval.statistics.counts import Counts
from du_eval.statistics.f1 import MACRO, MICRO, WEIGHTED
from du_eval.statistics.f1 import METHOD as F1_METHOD

if TYPE_CHECKING:
    from du_eval.evaluation.goals import Goals

Spell = Callable[[Command], str]
TestRun = Run[StepDetail, TestExtra]
UNIT = "user steps"
VERDICT = "verdict"
"""The setting of a run that ended as soon as its verdict was sound."""
FIGURES = (
    "accuracy",
    "accuracy.cases",
    "accuracy.perfect_form",
    *(f"f1.{name}" for name in (MACRO, MICRO, WEIGHTED)),
)
"""The figures that every run has."""


class AskedCase(Struct, frozen=True):
    """A judged case, what its replay found, and how the generator drove it, where that was asked for."""

    case: JudgedCase
    replay: Replay | None = None
    drive: DriveSeen | None = None


class AskedCases(Struct, frozen=True):
    """The cases of a run in order, and what was left out because it ended early."""

    found: Sequence[AskedCase]
    unasked: Unasked = ()
    unbegun: int = 0
    """How many cases were not begun."""
    history: str = "gold"
    """Whose commands drive the dialogues: the gold ones, the predicted ones, or both in turn."""


def record_test(
    asked: AskedCases, head: Head, notes: Sequence[str] = (), goals: Goals | None = None
) -> TestRun:
    """Return the record of a run; `goals` are figures of the dialogue state, where they are wanted."""
    cases = tuple(one.case for one in asked.found)
    steps = [step for case in cases for step in case.results]
    scores = score_commands(cases, asked.unasked)
    driven = [(one.case, one.drive) for one in asked.found if one.drive]
    return Run(
        head=replace(head, unit=UNIT, signature=_sign(head, asked)),
        cases=cases,
        figures=(*_measure_run(cases, asked), *list_score_figures(scores, goals)),
        notes=tuple(notes),
        extra=TestExtra(
            commands=scores.commands,
            confusion=tabulate_confusion(steps),
            flows=flow_counts(steps),
            slots=slot_counts(steps),
            skipped=scores.skipped,
            quantities=sum_quantities(steps),
            repeats=repeats_of(cases, CONFIDENCE),
            goals=goals.figures if goals else (),
            joints=tuple(goals.joints.items()) if goals else (),
            bot=_bot_side(asked),
            gap=exposure_gap(driven) if asked.history == "both" else None,
            drives=tuple(_without_commands(drive) for _, drive in driven),
        ),
    )


def _without_commands(drive: DriveSeen) -> DriveSeen:
    steps = (replace(step, detail=without_commands(step.detail)) for step in drive.steps)
    return replace(drive, steps=tuple(steps))


def _sign(head: Head, asked: AskedCases) -> str:
    """Return what makes the numbers reproducible."""
    parts: dict[str, object] = {
        "match": head.settings.get("match"),
        "syntax": head.settings.get("syntax"),
        "generator": head.subject,
        "cases": len(asked.found),
        **({"samples": head.samples} if head.samples > 1 else {}),
        "intervals": f"{METHOD}+{F1_METHOD}@{CONFIDENCE:g}",
        "du-eval": __version__,
        **({"history": asked.history} if asked.history != "gold" else {}),
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def _measure_run(cases: Sequence[JudgedCase], asked: AskedCases) -> Iterator[Figure]:
    """Yield the accuracies: of steps, of cases, and of steps if everything had come in the right form."""
    steps = measure_steps(cases, len(asked.unasked))
    yield Figure("accuracy", steps, "user steps understood", is_headline=True)
    whole = measure_cases(cases, asked.unbegun)
    yield Figure("accuracy.cases", whole, "test cases passed", is_headline=True)
    judged = [[step for step in case.results if step.outcome is not Outcome.ERRORED] for case in cases]
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


def _is_right(step: JudgedStep) -> bool:
    return step.outcome is Outcome.PASSED or step.detail.explanation.passes_in_perfect_form


def close_case(case: JudgedCase, policy: JudgingPolicy, spell: Spell, replay: Replay | None) -> JudgedCase:
    """Return a case whose results know what only all of them together tell: mistakes, counts, checks."""
    residuals, counts = list_residuals(case), step_counts(case.results, policy)
    steps = zip(case.results, residuals, counts, strict=True)
    return replace(case, results=tuple(_close(*step, spell, replay) for step in steps))


def list_residuals(case: JudgedCase) -> list[tuple[Residual, ...]]:
    """Return the mistakes of each step of a case; what a correction is, the earlier steps tell."""
    found: list[tuple[Residual, ...]] = []
    filled: dict[int, Filled] = {}
    for step in case.results:
        known, live = filled.setdefault(step.key.sample, {}), step.detail.live
        is_errored = step.outcome is Outcome.ERRORED
        mistakes = (
            [Residual(Mistake.ERRORED)]
            if is_errored
            else list_mistakes(live.diff, step.detail.unparsed, known)
        )
        found.append(tuple(mistakes))
        known.update({one.slot: one.value for one in live.expected if isinstance(one, SetSlot)})
    return found


def _close(
    step: JudgedStep,
    residuals: tuple[Residual, ...],
    counts: Mapping[str, Counts],
    spell: Spell,
    replay: Replay | None,
) -> JudgedStep:
    detail, checks = step.detail, _shared(tuple(_checks(step, replay)))
    if not residuals:
        return replace(step, counts=counts, checks=checks)
    mistakes = tuple(_describe(one, spell) for one in residuals)
    detail = replace(detail, mistakes=mistakes, live=replace(detail.live, residuals=residuals))
    kinds = tuple(one.kind for one in mistakes)
    return replace(step, detail=detail, mistakes=kinds, counts=counts, checks=checks)


def _describe(residual: Residual, spell: Spell) -> StepMistake:
    return StepMistake(
        residual.kind.value,
        spell(residual.expected) if residual.expected else "",
        spell(residual.predicted) if residual.predicted else "",
        None if residual.distance is None else round(residual.distance, 3),
    )


def _checks(step: JudgedStep, replay: Replay | None) -> Iterator[Check]:
    """Yield what else can be said of a step: about the text of its answer, and about the replay."""
    if step.outcome is not Outcome.ERRORED:
        yield _check("output is parsed", holds=not step.detail.unparsed)
        yield _check("flows are known", holds=not step.detail.unknown_flows)
    line = step.line
    if replay is not None and (not replay.stopped or line < replay.stopped_line):
        yield _check("bot steps follow", holds=all(found.line != line for found in replay.differences))
        idle = all(found.line != line for found in replay.without_effect)
        yield _check("commands have an effect", holds=idle)


@cache
def _shared(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    return checks


@cache
def _check(name: str, *, holds: bool) -> Check:
    return Check(name, Outcome.PASSED if holds else Outcome.FAILED)


def _bot_side(asked: AskedCases) -> BotSide | None:
    replayed = [(one.case, one.replay) for one in asked.found if one.replay is not None]
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
