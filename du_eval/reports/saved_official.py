"""Reports of the official tool read back: which test cases passed and which failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from du_eval.runs.records import RunRecord, StepRecord

CASES = "test cases"
_OUTCOMES = ("passed", "failed", "errored")


def is_official(data: Mapping[str, Any]) -> bool:
    """Tell whether data have the keys of the official tool's report."""
    return all(isinstance(data.get(f"names_of_{outcome}_tests"), list) for outcome in _OUTCOMES[:2])


def official_record(data: Mapping[str, Any], name: str) -> RunRecord:
    """Return such a report for comparison, case by case: it does not list the steps of cases that passed."""
    return RunRecord(
        name=name,
        steps=tuple(_cases(data)),
        signature=str(data.get("signature", "")),
        policy="rasa",
        unit=CASES,
    )


def _cases(data: Mapping[str, Any]) -> Iterator[StepRecord]:
    for outcome in _OUTCOMES:
        for name in data.get(f"names_of_{outcome}_tests") or ():
            file, _, case = str(name).rpartition("::")
            yield StepRecord(file, case, 0, case, outcome)


def count_alike(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Return runs that can be compared: case by case, if one of them has no steps."""
    if all(record.unit != CASES for record in records):
        return list(records)
    return [record if record.unit == CASES else _by_case(record) for record in records]


def _by_case(record: RunRecord) -> RunRecord:
    cases: dict[tuple[str, str, str], list[StepRecord]] = {}
    for step in record.steps:
        cases.setdefault((step.file, step.case, step.variant), []).append(step)
    steps = tuple(_whole(found) for found in cases.values())
    return replace(record, steps=steps, unit=CASES, figures={})


def _whole(steps: list[StepRecord]) -> StepRecord:
    """Return a case: failed if a step failed, else errored if one errored."""
    outcomes = {step.outcome for step in steps}
    outcome = next((one for one in ("failed", "errored") if one in outcomes), "passed")
    first = steps[0]
    return StepRecord(first.file, first.case, 0, first.case, outcome, line=first.line, variant=first.variant)
