"""Computed metrics as the record that is stored, shown and compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import PurePath

from du_eval.corpus.detail import KIND, FileNumbers, LineDetail, MetricNumber, MetricsExtra
from du_eval.corpus.metric import Better
from du_eval.corpus.results import CorpusReport, FileResult, MetricResult
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.record import Case, Check, Head, Key, Result, Run

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
