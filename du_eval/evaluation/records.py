"""A run reduced to what comparisons need, whatever was tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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

    @property
    def is_judged(self) -> bool:
        """Tell whether it passed or failed."""
        return self.outcome in {"passed", "failed"}


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
