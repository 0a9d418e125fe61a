"""What a corpus metric is: one class that says what it needs and scores one corpus."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar, Protocol, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from du_eval.corpus.lexicon import Flags, Floats, Texts
from du_eval.corpus.ngrams import Training
from du_eval.corpus.vector_files import Vectors
from du_eval.errors import DuEvalError, ExitCode

T = TypeVar("T")


class Need(StrEnum):
    """An input that a metric cannot do without; the value is what the user can do to give it."""

    SOURCE = "--source"
    TARGET = "--target"
    TRAINING = "--train-source or --train-target"
    TRAIN_SOURCE = "--train-source"
    VOCABULARY = "--vocab or training data"
    VECTORS = "--vectors"
    JUDGE = "--judge"
    CAUSAL_MODEL = "--causal-model"
    TEXT = "the text itself"


class Better(StrEnum):
    """Which direction of a number is good news."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class MetricColumn(Struct, frozen=True):
    """One number that a metric gives: its name, which direction is better, and how far it can go."""

    name: str
    better: Better = Better.HIGHER
    low: float = 0.0
    high: float = 1.0


class Scores(Struct, frozen=True, eq=False):
    """What one column says of one file: a value a line, NaN where a line has none.

    A score of the corpus as a whole stands in `whole`; its lines then hold jackknife pseudo-values, which
    average to it (up to bias) and carry its spread.
    """

    lines: Floats
    whole: float | None = None
    signature: str = ""

    @property
    def n(self) -> int:
        """The number of lines that have a value."""
        return int(np.count_nonzero(~np.isnan(self.lines)))

    @property
    def value(self) -> float | None:
        """The score of the corpus, or the mean over lines; None where nothing could be scored."""
        if self.whole is not None:
            return self.whole
        known = self.lines[~np.isnan(self.lines)]
        return float(known.mean()) if len(known) else None


class Grouping(Struct, frozen=True):
    """How many lines each conversation has, and a fingerprint of all that is answered and expected."""

    sizes: tuple[int, ...] = ()
    references: str = ""


class Dialogues(Struct, frozen=True, eq=False):
    """Responses, and where given what they answer and what was expected, line by line."""

    responses: Texts
    source: Texts | None = None
    target: Texts | None = None
    grouping: Grouping = Grouping()
    """The conversations; lines of text are on their own."""

    def shortest(self) -> Dialogues:
        """Return the lines that all files have."""
        texts = [text for text in (self.responses, self.source, self.target) if text is not None]
        lines = min(len(text) for text in texts)
        if all(len(text) == lines for text in texts):
            return self
        return Dialogues(
            self.responses.between(0, lines),
            self.source.between(0, lines) if self.source is not None else None,
            self.target.between(0, lines) if self.target is not None else None,
            self.grouping,
        )


class Corpus(Struct, frozen=True, eq=False):
    """Everything a metric may look at for one response file."""

    dialogues: Dialogues
    words: int
    """How many different words the run knows."""
    training: Training | None = None
    vocabulary: Flags | None = None
    """By word number, whether the word belongs to the vocabulary."""
    vectors: Vectors | None = None
    whole: Dialogues | None = None
    """The same before lines without a partner were cut off (compatibility mode only)."""
    vocabulary_size: int | None = None
    unknown: int = -1
    """The number of the word that stands for all words outside the vocabulary."""

    @property
    def responses(self) -> Texts:
        """The responses."""
        return self.dialogues.responses

    @property
    def target(self) -> Texts:
        """The expected responses."""
        return require(self.dialogues.target, Need.TARGET)

    @property
    def source(self) -> Texts:
        """The messages that were answered."""
        return require(self.dialogues.source, Need.SOURCE)

    @property
    def is_vocabulary_word(self) -> Flags:
        """By word number, whether the word belongs to the vocabulary or stands for those that do not."""
        flags = require(self.vocabulary, Need.VOCABULARY).copy()
        flags[self.unknown] = True
        return flags

    def map_words(self, texts: Texts) -> Texts:
        """Return a text with every word outside the vocabulary replaced by the one that stands for them."""
        numbers = np.where(
            self.is_vocabulary_word, np.arange(self.words, dtype=np.int32), np.int32(self.unknown)
        )
        return texts.map_words(numbers)


class MetricError(DuEvalError):
    """A metric cannot be computed on this corpus; the others can."""

    exit_code = ExitCode.ERRORED


def require(given: T | None, need: Need) -> T:
    """Return an input; raise where it was not given."""
    if given is None:
        raise MetricError(f"needs {need}")
    return given


class CorpusMetric(Protocol):
    """A metric: its columns, what they need, and the one method that scores a corpus."""

    @property
    def columns(self) -> tuple[MetricColumn, ...]:
        """The numbers that the metric gives."""

    @property
    def needs(self) -> frozenset[Need]:
        """The inputs that the metric cannot do without."""

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Return the scores by column name."""


class OrderedMetric(Struct, frozen=True):
    """A metric of n-grams of one order, with one column that is named after it."""

    column: ClassVar[MetricColumn]
    """Its name has a place for the order as a number, or as a word."""

    order: int

    @property
    def columns(self) -> tuple[MetricColumn, ...]:
        """The one number that the metric gives."""
        name = self.column.name.format(order=self.order, word={1: "unigram", 2: "bigram"}.get(self.order, ""))
        return (replace(self.column, name=name),)
