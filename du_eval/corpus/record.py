"""Runs of corpus metrics: their numbers, what is stored about a line, and the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import PurePath

from du_eval.corpus.lexicon import Floats
from du_eval.corpus.load import Grouping
from du_eval.corpus.metric import Better, MetricColumn
from du_eval.corpus.settings import STANDARD, Definitions
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.record import Case, Check, Head, Key, Result, Run
from du_eval.runs.report import Kind
from du_eval.statistics.difference import Difference
from du_eval.statistics.intervals import Interval, Measurement


@dataclass(frozen=True, slots=True)
class LineDetail:
    """A line of responses: its scores are its checks."""

    number: int = 0


@dataclass(frozen=True, slots=True)
class MetricNumber:
    """One number of one file."""

    name: str
    measured: Measurement
    better: str
    deviation: float | None = None
    difference: float | None = None
    """To the baseline file."""
    spread: Interval | None = None
    p: float | None = None
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class FileNumbers:
    """All numbers of one response file."""

    name: str
    lines: int
    metrics: tuple[MetricNumber, ...]
    not_computed: tuple[tuple[str, str], ...] = ()
    """Metrics without a number, and why."""


@dataclass(frozen=True, slots=True)
class MetricsExtra:
    """What concerns a whole run."""

    files: tuple[FileNumbers, ...]
    mode: str
    confidence: float = 0.95
    baseline: str = ""


KIND = Kind("metrics", LineDetail, MetricsExtra)


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One number of one file; `difference` is that to the baseline file."""

    column: MetricColumn
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
    columns: tuple[MetricColumn, ...]
    signature: str
    mode: Definitions = STANDARD
    confidence: float = 0.95
    baseline: str | None = None
    notes: tuple[str, ...] = ()
    references: str = ""
    """Equal where the same was answered and expected, as far as files tell."""

    @property
    def computed(self) -> tuple[MetricColumn, ...]:
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


MetricsRun = Run[LineDetail, MetricsExtra]
_DIRECTIONS = {Better.HIGHER: Direction.HIGHER, Better.LOWER: Direction.LOWER}
_HEADLINE = 6
_DIGITS = 9


def record_metrics(report: CorpusReport) -> MetricsRun:
    """Return the record of a run; lines that are too many to keep have none of their own."""
    names = ", ".join(PurePath(file.name).name for file in report.files)
    return Run(
        head=Head(KIND.name, names, "lines", decides=False, signature=report.signature),
        cases=tuple(case for file in report.files for case in _cases(file, report)),
        figures=tuple(_figures(report)),
        notes=report.notes,
        extra=MetricsExtra(
            tuple(_numbers(file, report) for file in report.files),
            report.mode.name,
            report.confidence,
            report.baseline or "",
        ),
    )


def _figures(report: CorpusReport) -> Iterator[Figure]:
    """Yield each number; with several files, its name ends with that of its file."""
    for file in report.files:
        where = f"@{PurePath(file.name).name}" if len(report.files) > 1 else ""
        for place, result in enumerate(file.results):
            yield Figure(
                result.column.name + where,
                result.measurement,
                better=_DIRECTIONS.get(result.column.better, Direction.UNKNOWN),
                unit="score",
                method=_method(result.measurement.signature, report.signature),
                is_headline=not where and place < _HEADLINE,
            )


def _method(*signatures: str) -> str:
    """Return how a metric was measured, whatever version and interval there were."""
    parts = [part for signature in signatures for part in signature.split("|")]
    return "|".join(part for part in parts if part and not part.startswith(("interval:", "du-eval:")))


def _numbers(file: FileResult, report: CorpusReport) -> FileNumbers:
    found = tuple(_number(result, report.confidence) for result in file.results)
    missing = tuple((one.name, one.reason) for one in file.not_computed)
    return FileNumbers(file.name, file.lines, found, missing)


def _number(result: MetricResult, confidence: float) -> MetricNumber:
    apart = result.difference
    return MetricNumber(
        result.column.name,
        result.measurement,
        str(result.column.better),
        result.deviation,
        apart.value if apart else None,
        apart.interval if apart else None,
        apart.p if apart else None,
        (result.verdict(confidence) or "no significant difference") if apart else "",
    )


def _cases(file: FileResult, report: CorpusReport) -> Iterator[Case[LineDetail]]:
    """Yield the conversations of a file, or each line on its own: the unit of chance."""
    kept = [(one.column.name, one.lines.tolist()) for one in file.results if one.lines is not None]
    if not kept:
        return
    count = max(len(lines) for _, lines in kept)
    shown = PurePath(file.name).name if len(report.files) > 1 else "responses"
    sizes = file.grouping.sizes if sum(file.grouping.sizes) == count else ()
    asked = f"{report.references}|{file.grouping.references if file.grouping.sizes else ''}"
    start = 0
    for number, size in enumerate(sizes or [1] * count, 1):
        name = f"conversation {number}" if sizes else f"line {number}"
        yield Case(
            shown,
            name,
            tuple(
                _line(Key(shown, name, line - start + 1), line + 1, kept, asked)
                for line in range(start, start + size)
            ),
        )
        start += size


def _line(
    key: Key, number: int, kept: Sequence[tuple[str, Sequence[float]]], asked: str
) -> Result[LineDetail]:
    checks = tuple(
        Check(name, None, float(f"{lines[number - 1]:.{_DIGITS}g}"))
        for name, lines in kept
        if number <= len(lines) and isfinite(lines[number - 1])
    )
    question = f"{asked}|{key.step}"
    return Result(key, None, LineDetail(number), checks=checks, line=number, question=question)
