"""What a corpus evaluation found: numbers with n, interval and signature, and what was not computed."""

from __future__ import annotations

from dataclasses import dataclass, field

from du_eval.corpus.lexicon import Floats
from du_eval.corpus.load import Grouping
from du_eval.corpus.metric import Better, Column
from du_eval.corpus.settings import STANDARD, Definitions
from du_eval.statistics.difference import Difference
from du_eval.statistics.intervals import Measurement


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One number of one file; `difference` is that to the baseline file."""

    column: Column
    measurement: Measurement
    deviation: float | None
    half_width: float | None
    difference: Difference | None = None
    lines: Floats | None = field(default=None, compare=False)
    """The scores of single lines, which average to the value; None where there are too many to keep."""

    def is_significant(self, confidence: float) -> bool:
        """Return whether the difference to the baseline is more than chance would explain."""
        return self.difference is not None and self.difference.p < 1 - confidence

    def verdict(self, confidence: float) -> str:
        """Return `better`, `worse` or `different` for a significant difference, else an empty text."""
        if self.difference is None or not self.is_significant(confidence):
            return ""
        if self.column.better is Better.NEITHER:
            return "different"
        grew = self.difference.value > 0
        return "better" if grew == (self.column.better is Better.HIGHER) else "worse"


@dataclass(frozen=True, slots=True)
class NotComputed:
    """A metric without a number, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileResult:
    """All numbers of one response file."""

    name: str
    lines: int
    results: tuple[MetricResult, ...]
    not_computed: tuple[NotComputed, ...] = ()
    grouping: Grouping = field(default_factory=Grouping)

    def result(self, name: str) -> MetricResult | None:
        """Return the result of a column, None if it was not computed."""
        return next((found for found in self.results if found.column.name == name), None)


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """All numbers of a run."""

    files: tuple[FileResult, ...]
    columns: tuple[Column, ...]
    signature: str
    mode: Definitions = STANDARD
    confidence: float = 0.95
    baseline: str | None = None
    notes: tuple[str, ...] = ()
    references: str = ""
    """Equal where the same was answered and expected, as far as files tell."""

    @property
    def computed(self) -> tuple[Column, ...]:
        """The columns that have a number for at least one file."""
        return tuple(
            column for column in self.columns if any(file.result(column.name) for file in self.files)
        )

    @property
    def not_computed(self) -> dict[str, tuple[str, ...]]:
        """The metrics without a number for some file, by reason."""
        found: dict[str, dict[str, None]] = {}
        for file in self.files:
            for missing in file.not_computed:
                found.setdefault(missing.reason, {})[missing.name] = None
        return {reason: tuple(names) for reason, names in found.items()}
