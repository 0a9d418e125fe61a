"""A run reduced to what comparisons need, whatever was tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from du_eval.statistics.counts import Counts


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One judged thing: a user step, an attempt at an agent case, an answer in a quality test."""

    file: str
    case: str
    step: int
    message: str
    outcome: str
    question: str = ""
    """Equal where the same was asked and expected."""
    sample: int = 1
    line: int = 0
    counts: Mapping[str, Counts] = field(default_factory=dict)
    expected: tuple[str, ...] = ()
    predicted: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    twin: int = 0
    """Which of several cases of the same name in the same file it belongs to."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Figures of this thing alone: whether each check held (1 or 0), or what each metric gives."""

    @property
    def is_judged(self) -> bool:
        """Tell whether it passed or failed, or has scores that are neither."""
        return self.outcome in {"passed", "failed", SCORED}


SCORED = "scored"
"""The outcome of a thing that has figures, and that can neither pass nor fail."""


class Direction(StrEnum):
    """Which direction of a figure is good news."""

    HIGHER = "higher"
    LOWER = "lower"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Figure:
    """What is known about a score: which direction is better, and whether it is a share of right things."""

    better: Direction = Direction.HIGHER
    is_share: bool = True
    method: str = ""
    """How it was measured; figures that were measured otherwise cannot be compared."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run to compare."""

    name: str
    steps: tuple[StepRecord, ...]
    signature: str = ""
    generator: str = ""
    policy: str = ""
    unit: str = "user steps"
    """What the steps are called in reports."""
    activity: str = "test"
    """The command that made the run; runs of different ones cannot be compared."""
    decides: bool = True
    """Whether the share of passed steps decides; otherwise the scores do, each on its own."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """What is known about the scores; a score that is not named is a share, the more the better."""
