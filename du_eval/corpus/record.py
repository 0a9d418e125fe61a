"""Runs of corpus metrics: their numbers, what is stored about a line, and the record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, nan
from pathlib import PurePath

from msgspec import Struct

from du_eval.corpus.metric import Better, Grouping
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.record import Case, Check, Head, Key, Result, Run
from du_eval.runs.report import Kind
from du_eval.statistics.intervals import Interval, Measurement

_OTHERWISE = ("interval:", "difference:", "du-eval:")
"""How parts of a signature begin that say nothing about the number itself."""


class LineDetail(Struct, frozen=True, omit_defaults=True):
    """A line of responses: its scores are its checks."""

    number: int = 0


class MetricNumber(Struct, frozen=True, omit_defaults=True):
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
    """better, worse, different, or that nothing is proven; empty without a baseline."""
    half_width: float | None = None
    """Half the width of the interval, before it was cut off where the number cannot be."""


class FileNumbers(Struct, frozen=True, omit_defaults=True):
    """All numbers of one response file."""

    name: str
    lines: int
    metrics: tuple[MetricNumber, ...]
    not_computed: tuple[tuple[str, str], ...] = ()
    """Metrics without a number, and why."""

    def number(self, name: str) -> MetricNumber | None:
        """Return the number of a metric, None if it was not computed."""
        return next((found for found in self.metrics if found.name == name), None)


class MetricsExtra(Struct, frozen=True, omit_defaults=True):
    """What concerns a whole run."""

    files: tuple[FileNumbers, ...]
    mode: str
    confidence: float = 0.95
    baseline: str = ""

    @property
    def computed(self) -> dict[str, str]:
        """The metrics that have a number for at least one file, each with which direction is better."""
        return {one.name: one.better for file in self.files for one in file.metrics}

    @property
    def not_computed(self) -> dict[str, tuple[str, ...]]:
        """The metrics without a number for some file, by reason."""
        found: dict[str, dict[str, None]] = {}
        for file in self.files:
            for name, reason in file.not_computed:
                found.setdefault(reason, {})[name] = None
        return {reason: tuple(names) for reason, names in found.items()}


KIND = Kind("metrics", LineDetail, MetricsExtra)
MetricsRun = Run[LineDetail, MetricsExtra]
Kept = Sequence[tuple[str, Sequence[float]]]
"""The scores of single lines of some metrics, which average to their numbers."""
_DIRECTIONS = {str(Better.HIGHER): Direction.HIGHER, str(Better.LOWER): Direction.LOWER}
_HEADLINE = 6
_DIGITS = 9


def record_metrics(extra: MetricsExtra, cases: tuple[Case[LineDetail], ...], signature: str) -> MetricsRun:
    """Return the record of a run; lines that are too many to keep have no cases of their own."""
    names = ", ".join(PurePath(file.name).name for file in extra.files)
    head = Head(KIND.name, names, "lines", decides=False, signature=signature)
    return Run(head, cases, tuple(_figures(extra.files, signature)), extra=extra)


def _figures(files: Sequence[FileNumbers], signature: str) -> Iterator[Figure]:
    """Yield each number; with several files, its name ends with that of its file."""
    for file in files:
        where = f"@{PurePath(file.name).name}" if len(files) > 1 else ""
        for place, one in enumerate(file.metrics):
            yield Figure(
                one.name + where,
                one.measured,
                better=_DIRECTIONS.get(one.better, Direction.UNKNOWN),
                unit="score",
                method=_method(one.measured.signature, signature),
                is_headline=not where and place < _HEADLINE,
            )


def _method(*signatures: str) -> str:
    """Return how a metric was measured, whatever version and interval there were."""
    parts = [part for signature in signatures for part in signature.split("|")]
    return "|".join(part for part in parts if part and not part.startswith(_OTHERWISE))


def list_cases(shown: str, kept: Kept, grouping: Grouping, references: str) -> Iterator[Case[LineDetail]]:
    """Yield the conversations of a file, or each line on its own: the unit of chance.

    `references` are equal where the same was answered and expected, as far as files tell.
    """
    if not kept:
        return
    count = max(len(lines) for _, lines in kept)
    names = [name for name, _ in kept]
    rows = list(zip(*([*_round(lines), *[nan] * (count - len(lines))] for _, lines in kept), strict=True))
    sizes = grouping.sizes if sum(grouping.sizes) == count else ()
    asked = f"{references}|{grouping.references if grouping.sizes else ''}"
    start = 0
    for number, size in enumerate(sizes or [1] * count, 1):
        name = f"conversation {number}" if sizes else f"line {number}"
        yield Case(
            shown,
            name,
            tuple(
                _line(
                    Key(shown, name, line - start + 1), line + 1, zip(names, rows[line], strict=True), asked
                )
                for line in range(start, start + size)
            ),
        )
        start += size


def _round(numbers: Sequence[float]) -> list[float]:
    """Return numbers with the digits that are kept, all at once, which is several times as fast."""
    return [*map(float, (f"%.{_DIGITS}g " * len(numbers) % tuple(numbers)).split())]


def _line(key: Key, number: int, scores: Iterable[tuple[str, float]], asked: str) -> Result[LineDetail]:
    checks = tuple([Check(name, None, score) for name, score in scores if isfinite(score)])
    question = f"{asked}|{key.step}"
    return Result(key, None, LineDetail(number), checks=checks, line=number, question=question)
