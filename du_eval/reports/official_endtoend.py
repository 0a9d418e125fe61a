"""A run of end-to-end tests with the keys of the official tool's report, and ours behind them."""

from __future__ import annotations

from typing import Any

from du_eval.endtoend.detail import BlameDetail, BotLine, DialogueDetail, DialogueTurn, EndToEndExtra
from du_eval.endtoend.results import Finding
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Run

Data = dict[str, Any]


def make_endtoend_report(run: Run[DialogueDetail, EndToEndExtra]) -> Data:
    """Return the report."""
    extra, counts = run.extra or EndToEndExtra(), run.count_cases()
    return {
        "number_of_passed_tests": counts[Outcome.PASSED],
        "number_of_failed_tests": counts[Outcome.FAILED],
        "number_of_errored_tests": counts[Outcome.ERRORED],
        "failed_because_of": {str(fault): count for fault, count in extra.faults.items()},
        "generator": run.head.subject,
        **({"judge": extra.judge} if extra.judge else {}),
        "warnings": list(run.notes),
        "test_cases": [_case(case) for case in run.cases],
    }


def _case(case: Case[DialogueDetail]) -> Data:
    data: Data = {
        "file": case.file, "test_case": case.name, "line": case.line, "outcome": str(case.outcome),
    }  # fmt: skip
    for result in case.results:
        detail = result.detail
        if detail.stopped:
            # What stopped a case that had failed before is no reason for its outcome.
            data["error" if result.outcome is Outcome.ERRORED else "stopped_later"] = detail.stopped
        if detail.trace:
            data["traceback"] = detail.trace
        if detail.findings:
            data["findings"] = [_finding(finding) for finding in detail.findings]
        if detail.blames:
            data["blame"] = [_blame(blame) for blame in detail.blames]
        data["turns"] = [_turn(turn) for turn in detail.turns]
    return data


def _finding(finding: Finding) -> Data:
    return {
        "line": finding.line,
        "user": finding.user,
        "expected": finding.expected,
        "found": finding.found,
        **({"could_not_be_judged": True} if finding.is_error else {}),
    }


def _blame(blame: BlameDetail) -> Data:
    return {
        "line": blame.line,
        "user": blame.user,
        "fault": str(blame.fault),
        "reason": blame.reason,
        "got": list(blame.got),
        "needs": None if blame.needs is None else list(blame.needs),
        "tried": blame.tried,
    }


def _turn(turn: DialogueTurn) -> Data:
    return {
        "user": turn.user,
        "line": turn.line,
        "commands": list(turn.commands),
        "flows": list(turn.flows),
        "bot": [_said(line) for line in turn.bot],
        "expected": [{"line": one.line, "text": one.text} for one in turn.expected],
    }


def _said(line: BotLine) -> Data:
    if line.is_generated:
        return {"generated": True}
    return {**({"utter": line.response} if line.response else {}), "text": line.text}
