"""A quality report as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from du_eval.quality.results import Cell, QualityReport, TestResult
from du_eval.statistics.difference import Difference


def quality_data(report: QualityReport) -> dict[str, Any]:
    """Return everything that a report holds, except the conversations."""
    return {
        "bot": report.bot,
        "tester": report.tester,
        "signature": report.signature,
        "judges": dict(report.judges),
        "conversations": len(report.dialogues),
        "replies": dict(report.outcomes),
        "response_seconds": dict(report.seconds),
        "missed_gates": list(report.missed),
        "tests": {result.test: _test(result) for result in report.tests},
        "assessments": [
            {key: value for key, value in asdict(one).items() if value not in {None, ""}}
            for one in report.assessments
        ],
    }


def _test(result: TestResult) -> dict[str, Any]:
    return {
        "title": result.title,
        "score": result.score,
        **_cell(result.total),
        "unjudged": result.unjudged,
        **({"control": _cell(result.control)} if result.control else {}),
        **({"paired": _paired(result.paired)} if result.paired else {}),
        **_group("levels", result.levels),
        **_group("distances", result.distances),
        **_group("variants", result.variants),
        **_group("labels", result.labels),
    }


def _group(name: str, cells: Sequence[Cell]) -> dict[str, Any]:
    return {name: {cell.name: _cell(cell) for cell in cells}} if cells else {}


def _cell(cell: Cell) -> dict[str, Any]:
    interval = cell.rate.interval
    return {
        "successes": cell.successes,
        "attempts": cell.attempts,
        "rate": cell.rate.value,
        "interval": [interval.low, interval.high] if interval else None,
    }


def _paired(found: Difference) -> dict[str, Any]:
    return {
        "difference": found.value,
        "interval": [found.interval.low, found.interval.high],
        "pairs": found.n,
        "clusters": found.clusters,
        "better": found.better,
        "worse": found.worse,
        "p": found.p,
    }
