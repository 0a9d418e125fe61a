"""Reports of every activity read back for comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from du_eval.errors import InputError, Problem
from du_eval.evaluation.records import RunRecord
from du_eval.reports.saved import is_agent_report, is_report, read_json, record_of
from du_eval.reports.saved_agents import agent_record
from du_eval.reports.saved_corpus import corpus_record
from du_eval.reports.saved_dialogues import endtoend_record, protocol_record, quality_record

Data = Mapping[str, Any]
_HOW = (
    "reports that can be compared: du-eval test, e2e or agent with --output-file x.json, "
    "du-eval metrics or protocol with -o x.json, results.json of du-eval quality"
)


def activity_of(data: Data) -> str | None:
    """Return the command that wrote a report, None for data that are no report."""
    for activity, is_written_by in _SIGNS.items():
        if is_written_by(data):
            return activity
    return None


def _is_end_to_end(data: Data) -> bool:
    cases = data.get("test_cases")
    return isinstance(cases, list) and "number_of_passed_tests" in data and not is_report(data)


def _has(*keys: str) -> Callable[[Data], bool]:
    return lambda data: all(isinstance(data.get(key), list | dict) for key in keys)


_SIGNS: Mapping[str, Callable[[Data], bool]] = {
    "agent": is_agent_report,
    "quality": _has("assessments", "tests"),
    "protocol": _has("decisions", "criteria"),
    "metrics": _has("files"),
    "e2e": _is_end_to_end,
    "test": is_report,
}
_READERS: Mapping[str, Callable[[Data, str], RunRecord]] = {
    "agent": agent_record,
    "quality": quality_record,
    "protocol": protocol_record,
    "metrics": corpus_record,
    "e2e": endtoend_record,
    "test": record_of,
}


def comparable_record(data: Data, name: str) -> RunRecord:
    """Return a reported run of any activity for comparison."""
    activity = activity_of(data)
    if activity is None:
        raise InputError(Problem(name, 0, "this is no report of a run", _HOW))
    return _READERS[activity](data, name)


def read_comparable(path: Path) -> dict[str, Any]:
    """Return the data of a report file that a comparison can use."""
    if path.suffix in {".yml", ".yaml"}:
        raise InputError(Problem(str(path), 0, "a YAML report lacks what a comparison needs", _HOW))
    data = read_json(path)
    if activity_of(data) is None:
        raise InputError(Problem(str(path), 0, "this is no report of a run", _HOW))
    return data
