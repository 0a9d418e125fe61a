"""What command tests store about a whole run, in their own words."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from du_eval.evaluation.aggregate import CommandScore
from du_eval.evaluation.confusion import ConfusionTable
from du_eval.evaluation.gap import ExposureGap
from du_eval.evaluation.goals import FrameKey, GoalFigure
from du_eval.evaluation.replay import BotDifference
from du_eval.evaluation.robustness import Robustness
from du_eval.evaluation.sampling import Repeats
from du_eval.evaluation.step import DriveSeen, StepDetail, without_commands
from du_eval.runs.report import Kind
from du_eval.statistics.counts import Counts


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
