"""Judged answers of command tests as the record that is stored, shown and compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval import __version__
from du_eval.evaluation.aggregate import (
    CONFIDENCE,
    CommandScore,
    CommandScores,
    Unasked,
    count_flows,
    measure_cases,
    measure_steps,
    score_commands,
    slot_counts,
    sum_quantities,
)
from du_eval.evaluation.confusion import ConfusionTable, tabulate_confusion
from du_eval.evaluation.exposure import ExposureGap, measure_gap
from du_eval.evaluation.goals import FrameKey, GoalFigure
from du_eval.evaluation.replay import BotDifference, Replay
from du_eval.evaluation.robustness import Robustness
from du_eval.evaluation.sampling import Repeats, measure_repeats
from du_eval.evaluation.step import (
    DriveSeen,
    JudgedCase,
    JudgedStep,
    StepDetail,
    without_commands,
)
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Head, Run
from du_eval.runs.report import Kind
from du_eval.statistics.clusters import METHOD, clustered_proportion
from du_eval.statistics.counts import Counts
from du_eval.statistics.f1 import MACRO, MICRO, WEIGHTED
from du_eval.statistics.f1 import METHOD as F1_METHOD

if TYPE_CHECKING:
    from du_eval.evaluation.goals import Goals


class BotFinding(Struct, frozen=True, omit_defaults=True):
    """A turn in which the bot says something else than the file."""

    file: str
    case: str
    difference: BotDifference


class IdleCommand(Struct, frozen=True, omit_defaults=True):
    """An expected command that changes nothing in the replay."""

    file: str
    case: str
    line: int
    command: str
    reason: str


class ReplayStop(Struct, frozen=True, omit_defaults=True):
    """A case that could not be replayed to its end."""

    file: str
    case: str
    step: int | None
    line: int
    reason: str


class BotSide(Struct, frozen=True, omit_defaults=True):
    """What replaying the cases against their assistants found."""

    checked: int = 0
    differing: int = 0
    unchecked: int = 0
    differences: tuple[BotFinding, ...] = ()
    idle: tuple[IdleCommand, ...] = ()
    stops: tuple[ReplayStop, ...] = ()


class TestExtra(Struct, frozen=True, omit_defaults=True):
    """What concerns a whole run of command tests."""

    __test__ = False  # for pytest: this is no test

    commands: Mapping[str, CommandScore]
    confusion: ConfusionTable
    flows: Mapping[str, Counts] = field(default_factory=dict)
    slots: Mapping[str, Counts] = field(default_factory=dict)
    skipped: int = 0
    """Commands that have no F1 to average."""
    quantities: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    """Percentiles of latency and tokens, by component."""
    repeats: Repeats | None = None
    goals: tuple[GoalFigure, ...] = ()
    joints: tuple[tuple[FrameKey, float], ...] = ()
    """The joint goal of each frame of the dialogue state."""
    robustness: Robustness | None = None
    bot: BotSide | None = None
    gap: ExposureGap | None = None
    drives: tuple[DriveSeen, ...] = ()


KIND = Kind("test", StepDetail, TestExtra, strip=without_commands)


TestRun = Run[StepDetail, TestExtra]
UNIT = "user steps"
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
            flows=count_flows(steps),
            slots=slot_counts(steps),
            skipped=scores.skipped,
            quantities=sum_quantities(steps),
            repeats=measure_repeats(cases, CONFIDENCE),
            goals=goals.figures if goals else (),
            joints=tuple(goals.joints.items()) if goals else (),
            bot=_bot_side(asked),
            gap=measure_gap(driven) if asked.history == "both" else None,
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
