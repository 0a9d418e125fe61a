"""The headlines of all kept runs: what a history shows."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct
from pydantic_core import from_json

from du_eval.assembly.activities import find_shown, view_run
from du_eval.assembly.finding import find_run, find_store
from du_eval.errors import InputError, Problem
from du_eval.experiments.record import FILE, read_experiment
from du_eval.experiments.record import KIND as EXPERIMENT
from du_eval.reports.files import read_yaml
from du_eval.reports.official import is_official, make_official_record
from du_eval.reports.sections import View
from du_eval.reports.trend import RunSummary
from du_eval.reports.writing import Reported
from du_eval.runs.comparison import Comparison
from du_eval.runs.figures import Figure
from du_eval.runs.gates import list_compared_figures
from du_eval.runs.manifest import Manifest
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun
from du_eval.runs.records import RunRecord, reduce_run
from du_eval.runs.ruling import Missing, find_errors
from du_eval.settings.commands import TestSettings
from du_eval.statistics.intervals import Measurement
from du_eval.trust.reading import read_file


def summarise_runs(runs_dir: str | None, warn: Callable[[str], None]) -> list[RunSummary]:
    """Return the summaries of all kept runs that ended with a report, the oldest first; warn of damaged ones.

    These are the runs of all activities; runs that were written as files into the folder count, too.
    """
    found: list[RunSummary] = []
    arms: dict[str, RunSummary] = {}
    for place in _places(find_store(runs_dir).root):
        try:
            arms |= _list_arms(place)
            summary = _summary(place)
        except InputError as error:
            warn(f"{error}")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            warn(f"{place}: damaged report: {type(error).__name__} {error}")
        else:
            found += [summary] if summary is not None else []
    found = [{**summary, **arms.get(summary["run"], {})} for summary in found]
    return sorted(found, key=lambda summary: str(summary.get("started", "")))


def _list_arms(place: Path) -> dict[str, RunSummary]:
    """Return the runs of an experiment, and which arm each one is of; nothing for what is none."""
    if not (place / FILE).is_file():
        return {}
    found = read_experiment(place)
    return {arm.run: {"experiment": found.name or "an experiment", "arm": arm.name} for arm in found.arms}


def _kept_summary(folder: Path) -> RunSummary | None:
    """Return the headline of a kept run; None for one that has not ended."""
    manifest = Manifest.from_file(folder / "manifest.json")
    if not manifest.figures or manifest.kind == EXPERIMENT:
        return None  # the arms of an experiment are runs of their own
    paths = manifest.settings.get("paths")
    return {
        "kind": manifest.kind,
        "run": manifest.id,
        "started": manifest.started,
        "label": manifest.label,
        "generator": manifest.subject,
        "figures": {name: value for name, value in manifest.figures.items() if value is not None},
        "headline": list(manifest.headline),
        "cases": dict(Counter(manifest.outcomes.values())),
        "suite": " ".join(map(str, paths if isinstance(paths, list) else ())),
        "suite_hash": _hash([sorted(manifest.judged_by.items()), manifest.cases]) if manifest.files else "",
        "model": str(manifest.settings.get("model") or ""),
        "prompt_hash": str(manifest.identity.get("prompt") or "")[:8],
        "commit": (manifest.git_commit or "")[:8],
    }


def _hash(told: object) -> str:
    return hashlib.blake2b(json.dumps(told, default=str).encode(), digest_size=4).hexdigest()


def _run_summary(data: Mapping[str, Any], place: Path, written: str) -> RunSummary:
    """Return the headline of a run that was written into a file."""
    head, summary = data.get("head", {}), data.get("summary", {})
    return {
        "kind": str(data.get("kind")),
        "run": head.get("id") or place.stem,
        "started": head.get("started") or written,
        "label": head.get("label", ""),
        "generator": head.get("subject", ""),
        "figures": {
            name: float(value) for name, value in summary.get("figures", {}).items() if value is not None
        },
        "headline": [one["name"] for one in data.get("figures", ()) if one.get("is_headline")],
        "cases": {name: count for name, count in summary.get("cases", {}).items() if count},
    }


def _places(root: Path) -> list[Path]:
    """Return the folders and report files of a folder."""
    if not root.is_dir():
        return []
    return sorted(one for one in root.iterdir() if one.is_dir() or one.suffix == ".json")


def _summary(place: Path) -> RunSummary | None:
    """Return the headline of a run's folder or of a run in a file; None for what is neither."""
    if (place / "manifest.json").is_file():
        return _kept_summary(place)
    if not place.is_file():
        return None
    data = from_json(read_file(place))
    if not isinstance(data, dict) or not str(data.get("format", "")).startswith("du-eval run/"):
        return None
    written = datetime.fromtimestamp(place.stat().st_mtime, UTC).isoformat()
    return _run_summary(data, place, written)


_HINT = "runs are compared and shown from .json: write one with --output-file x.json"


class Loaded(Struct, frozen=True, dict=True):
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

    def report(self, table: str | None = None, *, is_raw: bool = False) -> Reported:
        """Return what reporters get of the run."""
        kind = find_shown(self.whole.head.kind).kind
        return Reported(self.whole, kind, self.view, table=table, is_raw=is_raw)

    def find_errors(self, whose: str = "") -> Missing:
        """Return what errored in the run, or in which cases of an official report."""
        if self.run is not None:
            return find_errors(self.run, whose)
        names = [f"{step.file}::{step.case}" for step in self.record.steps if step.outcome == Outcome.ERRORED]
        return Missing(f"{self.record.unit}{whose} errored", len(names), len(self.record.steps), tuple(names))

    def figures(self, comparison: Comparison) -> tuple[Figure, ...]:
        """Return the figures of the run."""
        if self.run is not None:
            return self.run.figures
        found = list_compared_figures(comparison)
        return tuple(Figure(name, Measurement(value, 0)) for name, value in found.items())


def load_any(name: str, runs_dir: str | None = None) -> Loaded:
    """Return a run by its file, folder, id, start of its id, or `last`; or a report of the official tool."""
    path = Path(name)
    if path.suffix in {".yml", ".yaml"} and path.is_file():
        data = read_yaml(path)
        if not is_official(data):
            raise InputError(Problem(name, 0, "this is not a run of du-eval", _HINT))
        return Loaded(path.stem, official=make_official_record(data, path.stem))
    found = find_run(name, runs_dir)
    named = path.stem if path.is_file() else path.name if path.is_dir() else found.head.id or name
    return Loaded(named, found)


def make_rerun_command(before: Loaded, after: Loaded) -> str:
    """Return the call that asks the second run again, over more steps and against the first one."""
    if before.run is None or after.run is None or after.run.head.kind != "test" or not after.run.head.id:
        return ""
    try:
        settings = find_store().find(after.run.head.id).manifest.settings
    except InputError:
        return ""
    words = [*make_words(settings), "--against", before.run.head.id or before.name]
    return shlex.join(["du-eval", "test", *words])


def make_words(settings: Mapping[str, object]) -> list[str]:
    """Return the words of a call of `du-eval test` with these settings, as far as flags have them."""
    words = list(map(str, _list(settings.get("paths"))))
    for name, value in settings.items():
        flag = TestSettings.find_flag(name)
        if flag is None or flag.is_argument or flag.switches or isinstance(value, dict) or name == "resume":
            continue
        spelling = flag.spell(name)[-1]
        if isinstance(value, bool):
            words += [spelling] if value else []
        else:
            words += [part for one in _list(value) for part in (spelling, str(one))]
    return words


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [] if value is None else [value]
