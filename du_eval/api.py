"""Every activity from a script or a notebook: run it, read kept runs, compare, write reports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any

from msgspec import Struct

from du_eval.assembly.activities import ACTIVITIES, find_settings, find_shown, view_run
from du_eval.assembly.finding import find_run, find_store
from du_eval.cli.ending import settle_activity
from du_eval.cli.plugged import run_plugged
from du_eval.errors import ConfigError, InputError, did_you_mean
from du_eval.experiments.deciding import decide_runs
from du_eval.experiments.decision import Decision
from du_eval.plugins import load_own
from du_eval.reports.files import write
from du_eval.reports.renderers.page import render_page
from du_eval.reports.renderers.terminal import render_terminal
from du_eval.reports.sections import View
from du_eval.reports.views.comparison import view_comparison
from du_eval.reports.writing import Reported, render_file
from du_eval.runs.comparison import Comparison, compare_runs
from du_eval.runs.figures import Figure, check_thresholds, parse_thresholds
from du_eval.runs.record import AnyRun, Result
from du_eval.runs.records import reduce_run
from du_eval.runs.ruling import Ruling, rule
from du_eval.statistics.verdict import Criteria

_RUNNERS: Mapping[str, str] = {
    "test": "du_eval.cli.test:run_tests",
    "e2e": "du_eval.cli.e2e:run_endtoend",
    "quality": "du_eval.cli.quality:run_quality",
    "protocol": "du_eval.cli.protocol:run_protocol",
    "agent": "du_eval.cli.agent:run_agents",
    "metrics": "du_eval.cli.metrics:run_metrics",
}


class FinishedRun(Struct, frozen=True, dict=True):
    """A run: its figures and results, its report as text or page, and what to compare it with."""

    record: AnyRun

    @property
    def id(self) -> str:
        """The name under which the run is kept."""
        return self.record.head.id

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The numbers of the run by name, each with n and interval."""
        return {figure.name: figure for figure in self.record.figures}

    @property
    def results(self) -> tuple[Result[Any], ...]:
        """What became of everything that was asked, in the order of the input."""
        return tuple(result for case in self.record.cases for result in case.results)

    @cached_property
    def _view(self) -> View:
        return view_run(self.record)

    def compare(self, other: FinishedRun, *, alpha: float = 0.05, margin: float = 0.02) -> RunComparison:
        """Return what changed from this run to another one of the same activity."""
        before, after = (reduce_run(one.record, one.record.head.label or one.id) for one in (self, other))
        found = compare_runs(before, after, Criteria(alpha, margin, 0))
        return RunComparison(found, decide_runs(found, self.record, other.record))

    def gate(self, fail_under: str, *, max_errors: float = 0.0) -> Ruling:
        """Return what thresholds such as `accuracy=0.9` come to: an exit code, and the reasons."""
        check_thresholds(parse_thresholds(fail_under), self.figures, "fail_under")
        return rule(self.record, fail_under, max_errors)

    def write(self, path: str | Path) -> None:
        """Write a report in the form that the ending names: .html, .json, .md, .xml, .xlsx, .csv, .yml ..."""
        reported = Reported(self.record, find_shown(self.record.head.kind).kind, self._view)
        write(Path(path), render_file(str(path), reported))

    def __str__(self) -> str:
        return render_terminal(self._view)

    def __repr__(self) -> str:
        head = self.record.head
        return f"<{' '.join(filter(None, (head.kind, head.label or head.id)))}: {self._view.headline.text}>"

    def _repr_html_(self) -> str:
        return _frame(self._view)


class RunComparison(Struct, frozen=True):
    """Two runs compared: the decision in a sentence, its causes, and every changed step."""

    comparison: Comparison
    decision: Decision

    @property
    def sentence(self) -> str:
        """What a team lead reads first."""
        return self.decision.sentence

    @property
    def verdict(self) -> str:
        """The verdict in a word."""
        return str(self.comparison.verdict)

    def __repr__(self) -> str:
        return f"<comparison: {self.sentence}>"

    def __str__(self) -> str:
        return render_terminal(view_comparison(self.comparison, self.decision))

    def _repr_html_(self) -> str:
        return _frame(view_comparison(self.comparison, self.decision))


def run(activity: str, **settings: Any) -> FinishedRun:
    """Run an activity as its command would, keep the run, and return it.

    The settings are those of du-eval.yaml; a generator may also be a function at the top level of a module.
    """
    if activity not in ACTIVITIES:
        hint = did_you_mean(activity, ACTIVITIES) or f"known: {', '.join(ACTIVITIES)}"
        raise ConfigError(f"unknown activity '{activity}' ({hint})")
    model: Any = find_settings(activity)
    unknown = [name for name in settings if name not in model.model_fields]
    if unknown:
        hints = (f"'{name}': {did_you_mean(name, model.model_fields) or 'unknown'}" for name in unknown)
        raise ConfigError(f"du-eval {activity} has no such setting: {', '.join(hints)}")
    given = {name: _name(value) if callable(value) else value for name, value in settings.items()}
    work = (
        load_own(_RUNNERS[activity]) if activity in _RUNNERS else partial(run_plugged, ACTIVITIES[activity])
    )
    found = _run_beside_loop(partial(work, settle_activity(model, given).config))
    if found is None:
        raise InputError(f"du-eval {activity} ended without a run")
    return FinishedRun(found)


def _run_beside_loop(work: Callable[[], AnyRun | None]) -> AnyRun | None:
    """Return what the work gives; where an event loop runs, as in a notebook, from a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def read_run(name: str = "last", runs_dir: str | None = None) -> FinishedRun:
    """Return a run by its file, folder, id, label, or `last`."""
    return FinishedRun(find_run(name, runs_dir))


def list_runs(runs_dir: str | None = None) -> list[str]:
    """Return the ids of all kept runs, the oldest first."""
    return [stored.id for stored in find_store(runs_dir)]


def _name(function: Callable[..., Any]) -> str:
    """Return the class path of a function, which must be found again under it."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", "")
    if module is None or not name.isidentifier():
        raise ConfigError(f"{function!r} must be a function or class at the top level of a module")
    return f"{module}:{name}"


def _frame(view: View) -> str:
    """Return the page of a view inside a frame, so that a notebook and the page leave each other alone."""
    page = escape(render_page([view]), quote=True)
    return f'<iframe srcdoc="{page}" style="width: 100%; height: 42em; border: 0"></iframe>'
