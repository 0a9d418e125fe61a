"""What a corpus evaluation is told: its files, and how to measure."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from du_eval.corpus.reading import Tokeniser

ORIGINAL_T_VALUE = 1.97


class Definitions(Struct, frozen=True):
    """Whose definitions hold: everything in which two ways to measure differ."""

    name: str = "standard"
    metrics: str = "du_eval.corpus.standard:metrics"
    """The function that makes the metrics, loaded when they are computed."""
    keeps_mark: bool = False
    """A byte order mark belongs to the first word."""
    cuts_to_shortest: bool = False
    """Lines without a partner are left out; otherwise they are an error."""
    trains_on_targets: bool = True
    """Training data are sources and targets; otherwise sources only."""
    knows_words_of_vectors: bool = False
    """Words that have a vector belong to the vocabulary."""
    has_fixed_t: bool = False
    """Intervals are a given factor times the standard error, unbounded; means are added up in order."""


STANDARD = Definitions()


class Files(Struct, frozen=True):
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


class MetricOptions(Struct, frozen=True):
    """What the metrics can be told."""

    bleu_smoothing: str = "4"
    kl_added: float = 0.5
    judge: str | None = None
    causal_model: str | None = None


class Uncertainty(Struct, frozen=True):
    """How intervals and significance are computed."""

    confidence: float = 0.95
    t_value: float = ORIGINAL_T_VALUE
    """The factor of the original tool's intervals, used in its mode only."""
    seed: int = 0


class Settings(Struct, frozen=True):
    """How to measure."""

    mode: Definitions = STANDARD
    tokeniser: Tokeniser = field(default_factory=Tokeniser)
    options: MetricOptions = field(default_factory=MetricOptions)
    uncertainty: Uncertainty = field(default_factory=Uncertainty)
    vocabulary_minimum: int = 1
    """How often a word must occur in the training data to enter a generated vocabulary."""
    cache: Path | None = None
    baseline: str | None = None
