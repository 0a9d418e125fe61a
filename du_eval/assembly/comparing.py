"""Runs of any activity by name, for comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from du_eval.assembly.loading import load_run
from du_eval.evaluation.records import RunRecord
from du_eval.reports.saved_records import comparable_record, read_comparable

_QUALITY = "results.json"


@dataclass(frozen=True)
class ComparableRun:
    """A reported run, and the same reduced to what a comparison needs."""

    name: str
    data: Mapping[str, Any]
    record: RunRecord


def load_comparable(name: str, runs_dir: str | None = None) -> ComparableRun:
    """Return a run by the path of its report, the folder of a quality run, or as a kept run."""
    path = Path(name)
    file = path / _QUALITY if (path / _QUALITY).is_file() else path
    if file.is_file():
        shown = file.parent.name if file.name == _QUALITY else path.stem
        data = read_comparable(file)
    else:
        loaded = load_run(name, runs_dir)
        shown, data = loaded.name, dict(loaded.data)
    return ComparableRun(shown, data, comparable_record(data, shown))
