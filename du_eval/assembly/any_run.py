"""Runs of any activity by name, and report files of the official tool, for whoever compares or shows them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from du_eval.assembly.activities import view_run
from du_eval.assembly.finding import AnyRun, find_run, find_store
from du_eval.errors import InputError, Problem
from du_eval.reports.files import read_yaml
from du_eval.reports.official import is_official, official_record
from du_eval.reports.sections import View
from du_eval.runs.comparison import Comparison
from du_eval.runs.figures import Figure
from du_eval.runs.gates import compared_figures
from du_eval.runs.records import RunRecord, reduce_run
from du_eval.statistics.intervals import Measurement

_HINT = "runs are compared and shown from .json: write one with --output-file x.json"


@dataclass(frozen=True)
class Loaded:
    """A run, or what a report of the official tool tells about one."""

    name: str
    run: AnyRun | None = None
    official: RunRecord | None = None

    @cached_property
    def record(self) -> RunRecord:
        """The run for comparison."""
        if self.official is not None:
            return self.official
        return reduce_run(self.whole, self.name)

    @property
    def whole(self) -> AnyRun:
        """The run; a report of the official tool is none."""
        if self.run is None:
            raise InputError(
                Problem(self.name, 0, "a report of the official tool has no steps to show", _HINT)
            )
        return self.run

    @cached_property
    def view(self) -> View:
        """The view of the run."""
        return view_run(self.whole)

    def figures(self, comparison: Comparison) -> tuple[Figure, ...]:
        """Return the figures of the run."""
        if self.run is not None:
            return self.run.figures
        found = compared_figures(comparison)
        return tuple(Figure(name, Measurement(value, 0)) for name, value in found.items())


def load_any(name: str, runs_dir: str | None = None) -> Loaded:
    """Return a run by its file, folder, id, start of its id, or `last`; or a report of the official tool."""
    path = Path(name)
    if path.suffix in {".yml", ".yaml"} and path.is_file():
        data = read_yaml(path)
        if not is_official(data):
            raise InputError(Problem(name, 0, "this is not a run of du-eval", _HINT))
        return Loaded(path.stem, official=official_record(data, path.stem))
    found = find_run(name, runs_dir)
    named = path.stem if path.is_file() else path.name if path.is_dir() else found.head.id or name
    return Loaded(named, found)


def again_command(before: Loaded, after: Loaded) -> str:
    """Return the call that asks the second run again, over more steps and against the first one."""
    if before.run is None or after.run is None or after.run.head.kind != "test" or not after.run.head.id:
        return ""
    try:
        settings = find_store().find(after.run.head.id).manifest.settings
    except InputError:
        return ""
    words = ["du-eval", "test", *map(str, settings.get("paths", ()))]
    for name in ("generator", "model", "base_url", "prompt", "syntax", "match"):
        if settings.get(name):
            words += [f"--{name.replace('_', '-')}", str(settings[name])]
    return shlex.join([*words, "--against", before.run.head.id or before.name])
