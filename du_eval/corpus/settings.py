"""What a corpus evaluation is told: its files, and how to measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from du_eval.corpus.reading import Tokeniser

ORIGINAL_T_VALUE = 1.97


class Mode(StrEnum):
    """Whose definitions hold: the correct ones, or those of the original tool, quirks included."""

    STANDARD = "standard"
    ORIGINAL = "dialog-eval"


class IntervalMethod(StrEnum):
    """How the uncertainty of a mean is found."""

    STUDENT = "student"
    BOOTSTRAP = "bootstrap"


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a run; `-` is standard input."""

    responses: tuple[str, ...]
    source: str | None = None
    target: str | None = None
    train_source: str | None = None
    train_target: str | None = None
    vocabulary: str | None = None
    vectors: str | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """All files, in a fixed order."""
        others = (
            self.source, self.target, self.train_source, self.train_target, self.vocabulary, self.vectors,
        )  # fmt: skip
        return (*self.responses, *(name for name in others if name is not None))


@dataclass(frozen=True, slots=True)
class MetricOptions:
    """What the metrics can be told."""

    bleu_smoothing: str = "4"
    kl_added: float = 0.5
    judge: str | None = None
    causal_model: str | None = None


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How intervals and significance are computed."""

    confidence: float = 0.95
    method: IntervalMethod = IntervalMethod.STUDENT
    t_value: float = ORIGINAL_T_VALUE
    """The factor of the original tool's intervals, used in its mode only."""
    resamples: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """How to measure."""

    mode: Mode = Mode.STANDARD
    tokeniser: Tokeniser = field(default_factory=Tokeniser)
    options: MetricOptions = field(default_factory=MetricOptions)
    uncertainty: Uncertainty = field(default_factory=Uncertainty)
    vocabulary_minimum: int = 1
    """How often a word must occur in the training data to enter a generated vocabulary."""
    cache: Path | None = None
    baseline: str | None = None
