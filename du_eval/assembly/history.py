"""The headlines of all kept runs: what a history shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from du_eval.assembly.finding import find_store
from du_eval.errors import InputError
from du_eval.runs.manifest import Manifest


def summarise_runs(runs_dir: str | None, warn: Callable[[str], None]) -> list[dict[str, Any]]:
    """Return the summaries of all kept runs that ended with a report, the oldest first; warn of damaged ones.

    These are the runs of all activities; runs that were written as files into the folder count, too.
    """
    found = []
    for place in _places(find_store(runs_dir).root):
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
    """Return the headline of a run's folder or of a run in a file; None for what is neither."""
    if (place / "manifest.json").is_file():
        return _kept_summary(place)
    if not place.is_file():
        return None
    data = from_json(place.read_bytes())
    if not isinstance(data, dict) or not str(data.get("format", "")).startswith("du-eval run/"):
        return None
    written = datetime.fromtimestamp(place.stat().st_mtime, UTC).isoformat()
    return _run_summary(data, place, written)
