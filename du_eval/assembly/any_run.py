"""Runs of any activity for comparison, page and tables."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from du_eval.assembly.activities import view_run
from du_eval.assembly.finding import RUNS_DIR, AnyRun, find_run
from du_eval.assembly.loading import LoadedRun
from du_eval.assembly.reported import load_reported
from du_eval.errors import InputError
from du_eval.reports.kinds import Kind, kind_of
from du_eval.reports.sections import View
from du_eval.runs.figures import Figure
from du_eval.runs.gates import compared_figures
from du_eval.runs.records import RunRecord, reduce_run
from du_eval.statistics.intervals import Measurement


@dataclass(frozen=True)
class Loaded:
    """A run in the common record, or a report that its activity writes in its own form."""

    name: str
    run: AnyRun | None = None
    report: LoadedRun | None = None

    @cached_property
    def record(self) -> RunRecord:
        """The run for comparison."""
        if self.run is not None:
            return reduce_run(self.run, self.name)
        assert self.report is not None
        return self.report.record

    @cached_property
    def view(self) -> View:
        """The view of the run."""
        assert self.run is not None
        return view_run(self.run)

    def figures(self, comparison: Any) -> tuple[Figure, ...]:
        """Return the figures of the run."""
        if self.run is not None:
            return self.run.figures
        found = (self.report.data.get("figures") if self.report else None) or compared_figures(comparison)
        return tuple(Figure(name, Measurement(value, 0)) for name, value in found.items())


def load_any(name: str, runs_dir: str | None = None) -> Loaded:
    """Return a run by its file, folder, id, start of its id, or `last`."""
    path = Path(name)
    if path.is_file() and not _is_run(path):
        report = load_reported(name, runs_dir)
        return Loaded(report.name, report=report)
    if path.is_file():
        return Loaded(path.stem, find_run(name))
    if not path.is_dir() or (path / "manifest.json").is_file():
        try:
            found = find_run(name, runs_dir or RUNS_DIR)
            return Loaded(path.name if path.is_dir() else found.head.id or name, found)
        except InputError as error:
            try:
                report = load_reported(name, runs_dir)
            except InputError:
                raise error from None
            return Loaded(report.name, report=report)
    report = load_reported(name, runs_dir)
    return Loaded(report.name, report=report)


def _is_run(path: Path) -> bool:
    """Tell whether a file is one for the reader of runs, which also knows what to say about all others."""
    if path.suffix != ".json":
        return False
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return True
    return not isinstance(data, dict) or kind_of(data) is not Kind.CORPUS
