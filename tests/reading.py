"""A run of command tests as the tests look at it: flat, with the names of the test files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Data = dict[str, Any]
_SPENT = {"cached": "answers_from_cache", "reused": "answers_from_journal"}


def read_file(path: str | Path) -> Data:
    return read_run(Path(path).read_text(encoding="utf-8"))


def read_run(text: str) -> Data:
    """Return the JSON of a run, flattened."""
    data = json.loads(text)
    assert data["format"] == "du-eval run/1"
    head, extra, summary = data["head"], data.get("extra", {}), data["summary"]
    spent = {"calls": 0, "retries": 0, "cached": 0, "reused": 0, "cost": None} | head.get("spent", {})
    cases = [_case(case) for case in data["cases"]]
    return {
        **{key: value for key, value in head.items() if key not in {"spent", "settings"}},
        **head.get("settings", {}),
        **extra,
        "bot": {"checked": 0, "differing": 0, "unchecked": 0, "differences": [], "stops": []}
        | extra.get("bot", {}),
        "interrupted": head.get("status") == "interrupted",
        "cases": _count(summary["cases"]),
        "steps": _count(summary["results"]),
        "figures": summary["figures"],
        "measured": {one["name"]: one["measured"] for one in data["figures"]},
        "notes": data["notes"],
        "spent": {_SPENT.get(key, key): value for key, value in spent.items()},
        "test_cases": cases,
    }


def _count(found: Data) -> Data:
    """Return counts without outcomes that command tests do not have."""
    return {outcome: count for outcome, count in found.items() if count or outcome != "undecided"}


def _case(case: Data) -> Data:
    return {**case, "test_case": case["name"], "steps": [_step(result) for result in case["results"]]}


def _step(result: Data) -> Data:
    return {
        "expected": [],
        "unparsed": [],
        **result["detail"],
        **{key: value for key, value in result.items() if key not in {"detail", "key"}},
        "step": result["key"].get("step", 0),
        "sample": result["key"].get("sample", 1),
        "user": result.get("asked", ""),
        "predicted": result.get("actual", []),
        "latency_seconds": result.get("seconds"),
    }


def read_quality(folder: str | Path) -> Data:
    """Return the run of a folder as the tests of quality runs look at it."""
    data = json.loads((Path(folder) / "run.json").read_text(encoding="utf-8"))
    assert (data["format"], data["kind"]) == ("du-eval run/1", "quality")
    extra = data["extra"]
    results = [result for case in data["cases"] for result in case["results"]]
    return {
        **extra,
        "conversations": len(data["cases"]),
        "tests": {one["test"]: one | one["total"] for one in extra["tests"]},
        "assessments": [one for result in results for one in result["detail"].get("assessments", [])],
    }


def read_protocol(place: str | Path) -> Data:
    """Return the run of a folder or a file as the tests of the persona protocol look at it."""
    path = Path(place)
    data = json.loads((path / "run.json" if path.is_dir() else path).read_text(encoding="utf-8"))
    assert (data["format"], data["kind"]) == ("du-eval run/1", "protocol")
    results = [result for case in data["cases"] for result in case["results"]]
    return {
        **data["head"],
        **data["extra"],
        "figures": data["summary"]["figures"],
        "measured": {one["name"]: one["measured"] for one in data["figures"]},
        "decisions": [one for result in results for one in result["detail"].get("decisions", [])],
        "dialogues": [
            [result["detail"] for result in case["results"] if result["key"].get("step")]
            for case in data["cases"]
        ],
    }
