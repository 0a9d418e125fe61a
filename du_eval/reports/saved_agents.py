"""Reports of agent cases read back for comparison: the case with its samples, and every check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from du_eval.runs.records import RunRecord, StepRecord

Data = Mapping[str, Any]


def agent_record(data: Data, name: str) -> RunRecord:
    """Return a run of agent cases: a case is one step, asked several times."""
    return RunRecord(
        name,
        tuple(_samples(data["cases"])),
        str(data.get("signature", "")),
        "agent",
        unit="agent cases",
        activity="agent",
    )


def _samples(cases: Iterable[Data]) -> Iterator[StepRecord]:
    for case in cases:
        for sample in case["samples"]:
            said = [str(one["text"]) for one in sample["interactions"]]
            checks = [check for one in sample["interactions"] for check in one["checks"]]
            yield StepRecord(
                file=str(case.get("file", "")),
                case=case["name"],
                step=1,
                message=said[0] if said else case["name"],
                outcome=sample["outcome"],
                sample=sample["number"],
                question=f"{case.get('agent')}|{case.get('connection')}",
                line=min((check["line"] for check in checks if check.get("line")), default=0),
                expected=tuple(_wanted(check) for check in checks),
                predicted=tuple(_answers(sample)),
                scores=_rates(checks),
            )


def _wanted(check: Data) -> str:
    return f"{check['subject']} {check['check']} {check.get('expected', '')}".strip()


def _answers(sample: Data) -> Iterator[str]:
    """Yield what went wrong; where nothing did, that the checks held."""
    wrong = [str(sample["error"])] if sample.get("error") else []
    for one in sample["interactions"]:
        wrong += [str(one["error"])] if one.get("error") else []
        wrong += [
            f"{check['subject']} {check['check']}: {check['outcome']}, got '{check.get('actual', '')}'"
            for check in one["checks"]
            if check["outcome"] != "passed"
        ]
    yield from wrong or ["all checks passed"]


def _rates(checks: Iterable[Data]) -> dict[str, float]:
    """Return the share of each kind of check that held; one that errored enters no rate."""
    held: dict[str, list[bool]] = {}
    for check in checks:
        if check["outcome"] in {"passed", "failed"}:
            kind = f"{check['subject']} {check['check']}"
            held.setdefault(kind, []).append(check["outcome"] == "passed")
    return {kind: sum(found) / len(found) for kind, found in held.items()}
