"""Runs by name: a report file, the folder of a kept run, its id, or `last`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from du_eval import __version__
from du_eval.assembly import Session, settle
from du_eval.assembly.selection import run_store
from du_eval.errors import InputError, Problem
from du_eval.evaluation.aggregate import Evaluation, evaluated
from du_eval.reports.data import DataReporter
from du_eval.reports.files import write, write_pieces
from du_eval.reports.kinds import Kind, figures_of, kind_of
from du_eval.reports.saved import read_json, read_report
from du_eval.reports.saved_records import comparable_record
from du_eval.runs.records import RunRecord
from du_eval.runs.store import RunStore, StoredRun

REPORT, SUMMARY = "report.json", "summary.json"
REPORTS = (REPORT, "results.json")
"""The names of reports in the folders of runs."""
OTHER_RUNS = (Path(".du-eval/quality"), Path(".du-eval/protocol"))
"""Where activities other than command tests keep their runs."""


@dataclass(frozen=True)
class LoadedRun:
    """A run as it was reported."""

    name: str
    data: Mapping[str, Any]

    @cached_property
    def kind(self) -> Kind:
        """The activity that the run is of."""
        return kind_of(self.data)

    @cached_property
    def record(self) -> RunRecord:
        """The run for comparison."""
        return comparable_record(self.data, self.name)


def store_of(runs_dir: str | None) -> RunStore:
    """Return where runs are kept."""
    return run_store(settle({"runs_dir": runs_dir}, os.environ).config)


def load_run(name: str, runs_dir: str | None = None) -> LoadedRun:
    """Return a run by the path of its report, or by its folder, id, start of its id, or `last`."""
    path = Path(name)
    if path.is_file():
        return LoadedRun(path.stem, read_report(path))
    if path.suffix == ".json":
        raise InputError(Problem(name, 0, "there is no such report"))
    stored = store_of(runs_dir).find(name)
    return LoadedRun(stored.id, stored_report(stored, runs_dir))


def stored_report(stored: StoredRun, runs_dir: str | None = None) -> dict[str, Any]:
    """Return the report of a kept run; one that has none yet is judged from its journal."""
    file = stored.folder / REPORT
    if file.is_file():
        return read_report(file)
    from du_eval.assembly.rescoring import rescored

    result, session, _ = rescored({"resume": str(stored.folder), "runs_dir": runs_dir})
    return reported(stored, evaluated(result, __version__), session)


def save_report(stored: StoredRun, evaluation: Evaluation, session: Session) -> None:
    """Keep the report of a run with it, so that later commands need neither suite nor assistant."""
    reporter = DataReporter(session.evaluator.parser.syntax.print, show_prompts=True)
    head = _identity(stored, session) | reporter.overview(evaluation)
    write_pieces(stored.folder / REPORT, _pieces(head, reporter.cases(evaluation)))
    write(stored.folder / SUMMARY, json.dumps(summary_of(head), ensure_ascii=False, indent=1))


def _pieces(head: Mapping[str, Any], cases: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the JSON of a report, case by case."""
    yield _compact(head)[:-1] + ',"test_cases":['
    for number, case in enumerate(cases):
        yield ("," if number else "") + _compact(case)
    yield "]}"


def _compact(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)


def reported(stored: StoredRun, evaluation: Evaluation, session: Session) -> dict[str, Any]:
    """Return everything about a run, and which run it is."""
    reporter = DataReporter(session.evaluator.parser.syntax.print, show_prompts=True)
    return _identity(stored, session) | reporter.everything(evaluation)


def _identity(stored: StoredRun, session: Session) -> dict[str, Any]:
    return {**identity_data(session), "run": stored.id, "started": stored.manifest.started}


def identity_data(session: Session) -> dict[str, Any]:
    """Return what names a run for people: label, model and prompt."""
    config = session.config
    named = {"label": config.label, "model": config.model, "prompt_file": config.prompt}
    return {key: value for key, value in named.items() if value}


def summary_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the headline of a report: small, so that a history of many runs is read at once."""
    keys = ("run", "label", "started", "generator", "model", "prompt_file", "figures", "cases", "steps")
    found = {key: data[key] for key in keys if key in data}
    return found | {"interval": data["accuracy"]["user_utterances"]["interval"]}


def history(runs_dir: str | None = None) -> list[dict[str, Any]]:
    """Return the summaries of all kept runs that ended with a report, the oldest first.

    Without a folder these are the runs of all activities; with one, all that it holds, reports as files too.
    """
    main = store_of(runs_dir).root
    roots = [main] if runs_dir else [main, *OTHER_RUNS]
    found = [summary for root in roots for place in _places(root) if (summary := _summary(place)) is not None]
    return sorted(found, key=lambda summary: str(summary.get("started", "")))


def _places(root: Path) -> list[Path]:
    """Return the folders and report files of a folder."""
    if not root.is_dir():
        return []
    return sorted(one for one in root.iterdir() if one.is_dir() or one.suffix == ".json")


def _summary(place: Path) -> dict[str, Any] | None:
    """Return the headline of a run's folder or of a report; None for what is neither."""
    if (place / SUMMARY).is_file():
        return {"kind": "test", **json.loads((place / SUMMARY).read_text(encoding="utf-8"))}
    file = (
        place
        if place.is_file()
        else next((place / name for name in REPORTS if (place / name).is_file()), None)
    )
    if file is None:
        return None
    data = read_json(file)
    kind = kind_of(data)
    if kind is Kind.OTHER:
        return None
    written = datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat()
    head = {"kind": kind.value, "run": place.stem, "started": data.get("started", written)}
    named = {key: data[key] for key in ("label", "generator", "model", "bot") if data.get(key)}
    return head | named | {"figures": figures_of(data)}
