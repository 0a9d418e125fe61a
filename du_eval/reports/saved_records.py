"""Reports of every activity read back for comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from du_eval.errors import InputError, Problem
from du_eval.reports.kinds import Kind, kind_of
from du_eval.reports.saved import record_of
from du_eval.reports.saved_dialogues import quality_record
from du_eval.reports.saved_official import is_official, official_record
from du_eval.runs.records import RunRecord

Data = Mapping[str, Any]
_HOW = (
    "reports that can be compared: du-eval test, e2e, quality, protocol or agent with --output-file x.json, "
    "du-eval metrics with -o x.json, "
    "report files of rasa test du"
)


_READERS: Mapping[Kind, Callable[[Data, str], RunRecord]] = {
    Kind.QUALITY: quality_record,
    Kind.TEST: record_of,
}


def comparable_record(data: Data, name: str) -> RunRecord:
    """Return a reported run of any activity for comparison."""
    if is_official(data):
        return official_record(data, name)
    reader = _READERS.get(kind_of(data))
    if reader is None:
        raise InputError(Problem(name, 0, "this is no report of a run", _HOW))
    return reader(data, name)
