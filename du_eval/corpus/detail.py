"""What runs of corpus metrics store about a line and about a whole run, in their own words."""

from __future__ import annotations

from dataclasses import dataclass

from du_eval.runs.report import Kind
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
