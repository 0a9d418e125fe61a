"""Reports of corpus metrics read back for comparison: the scores of the same lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import PurePath
from typing import Any

from du_eval.errors import InputError, Problem
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.records import SCORED, RunRecord, StepRecord
from du_eval.statistics.intervals import Measurement

Data = Mapping[str, Any]
LINE_SCORES = "line_scores"
_DIRECTIONS = {"higher": Direction.HIGHER, "lower": Direction.LOWER}


def corpus_record(data: Data, name: str) -> RunRecord:
    """Return a run of metrics: a line is a step. A single response file may have any name."""
    table = data.get(LINE_SCORES)
    if not table:
        problem = "the report has no scores of single lines, which a comparison needs"
        hint = "write it again with this version; runs of more than 50,000 lines have none"
        raise InputError(Problem(name, 0, problem, hint))
    figures: dict[str, Figure] = {}
    steps: list[StepRecord] = []
    for file in data["files"]:
        for metric, result in file["metrics"].items():
            better = _DIRECTIONS.get(result["better"], Direction.UNKNOWN)
            method = _method(str(result.get("signature", "")), str(data.get("signature", "")))
            measured = Measurement(None, 0)
            figures.setdefault(metric, Figure(metric, measured, better=better, unit="score", method=method))
        shown = PurePath(file["file"]).name if len(data["files"]) > 1 else "responses"
        references = f"{data.get('references', '')}|{file.get('references', '')}"
        lines = _lines(shown, table[file["file"]], references)
        steps += _in_conversations(lines, file.get("conversation_sizes", ()))
    return RunRecord(
        name,
        tuple(steps),
        str(data.get("signature", "")),
        ", ".join(PurePath(file["file"]).name for file in data["files"]),
        unit="lines",
        activity="metrics",
        decides=False,
        figures=figures,
    )


def _method(*signatures: str) -> str:
    """Return how a metric was measured, whatever version and interval there were."""
    parts = [part for signature in signatures for part in signature.split("|")]
    return "|".join(part for part in parts if part and not part.startswith(("interval:", "du-eval:")))


def _in_conversations(lines: list[StepRecord], sizes: Sequence[int]) -> list[StepRecord]:
    """Return lines that know their conversation, the unit of chance; without one they are their own."""
    if sum(sizes) != len(lines):
        return lines
    numbers = (number for number, size in enumerate(sizes, 1) for _ in range(size))
    return [
        replace(line, case=f"conversation {number}", step=place, question=f"{line.question}|{place}")
        for place, (line, number) in enumerate(zip(lines, numbers, strict=True), 1)
    ]


def _lines(file: str, metrics: Mapping[str, Sequence[float | None]], references: str) -> list[StepRecord]:
    count = max(map(len, metrics.values()), default=0)
    scores: list[dict[str, float]] = [{} for _ in range(count)]
    for metric, values in metrics.items():
        for line, value in enumerate(values):
            if value is not None and isfinite(value):
                scores[line][metric] = value
    return [
        StepRecord(file, f"line {line}", 1, "", SCORED, question=references, line=line, scores=found)
        for line, found in enumerate(scores, 1)
    ]
