"""Runs by name: a report file, the folder of a kept run, its id, or `last`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from du_eval.assembly import settle
from du_eval.assembly.selection import run_store
from du_eval.errors import InputError
from du_eval.reports.kinds import Kind, figures_of, kind_of
from du_eval.reports.saved import read_json
from du_eval.reports.saved_records import comparable_record
from du_eval.runs.manifest import Manifest
from du_eval.runs.records import RunRecord
from du_eval.runs.store import RunStore

REPORTS = ("report.json", "results.json")
"""The names of reports in the folders of runs."""
OTHER_RUNS = (Path(".du-eval/quality"),)
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


def history(runs_dir: str | None, warn: Callable[[str], None]) -> list[dict[str, Any]]:
    """Return the summaries of all kept runs that ended with a report, the oldest first; warn of damaged ones.

    Without a folder these are the runs of all activities; with one, all that it holds, reports as files too.
    """
    main = store_of(runs_dir).root
    roots = [main] if runs_dir else [main, *OTHER_RUNS]
    found = []
    for place in (place for root in roots for place in _places(root)):
        try:
            summary = _summary(place)
        except InputError as error:
            warn(f"{error}")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            warn(f"{place}: a damaged report: {type(error).__name__} {error}")
        else:
            found += [summary] if summary is not None else []
    return sorted(found, key=lambda summary: str(summary.get("started", "")))


def _kept_summary(folder: Path) -> dict[str, Any] | None:
    """Return the headline of a kept run; None for one that has not ended."""
    manifest = Manifest.from_file(folder / "manifest.json")
    if not manifest.figures:
        return None
    return {
        "kind": manifest.kind,
        "run": manifest.id,
        "started": manifest.started,
        "label": manifest.label,
        "generator": manifest.subject,
        "figures": {name: value for name, value in manifest.figures.items() if value is not None},
        "headline": list(manifest.headline),
        "cases": dict(Counter(manifest.outcomes.values())),
    }


def _run_summary(data: Mapping[str, Any], place: Path, written: str) -> dict[str, Any]:
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


def _summary(place: Path) -> dict[str, Any] | None:
    """Return the headline of a run's folder or of a report; None for what is neither."""
    if (place / "manifest.json").is_file() and not (place / "report.json").is_file():
        return _kept_summary(place)
    file = (
        place
        if place.is_file()
        else next((place / name for name in REPORTS if (place / name).is_file()), None)
    )
    if file is None:
        return None
    data = read_json(file)
    written = datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat()
    if str(data.get("format", "")).startswith("du-eval run/"):
        return _run_summary(data, place, written)
    kind = kind_of(data)
    if kind in {Kind.OTHER, Kind.ENDTOEND}:
        return None
    head = {"kind": kind.value, "run": place.stem, "started": data.get("started", written)}
    named = {key: data[key] for key in ("label", "generator", "model", "bot") if data.get(key)}
    return head | named | {"figures": figures_of(data)}
