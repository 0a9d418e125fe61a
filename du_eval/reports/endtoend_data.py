"""End-to-end results as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from du_eval.assistants.engine.events import FlowStarted
from du_eval.commands.base import Command
from du_eval.endtoend.assertions import shown
from du_eval.endtoend.model import BotStep, Turn
from du_eval.endtoend.results import Blame, CaseOutcome, EndToEndResult, Finding, TurnRecord, Verdict
from du_eval.reports.endtoend_text import blame_text

Spell = Callable[[Command], str]


def endtoend_data(result: EndToEndResult, spell: Spell) -> dict[str, Any]:
    """Return all that is known about a run."""
    return {
        **{f"number_of_{verdict.value}_tests": result.count(verdict) for verdict in Verdict},
        "failed_because_of": {fault.value: count for fault, count in result.count_faults().items()},
        "generator": result.generator,
        **({"judge": result.judge} if result.judge else {}),
        "warnings": list(result.warnings),
        "test_cases": [_case(outcome, spell) for outcome in result.outcomes],
    }


def _case(outcome: CaseOutcome, spell: Spell) -> dict[str, Any]:
    data: dict[str, Any] = {
        "file": outcome.case.file,
        "test_case": outcome.case.name,
        "line": outcome.case.line,
        "outcome": outcome.verdict.value,
    }
    if outcome.error:
        # What stopped a case that had failed before is no reason for its outcome.
        data["error" if outcome.verdict is Verdict.ERRORED else "stopped_later"] = outcome.error
    if outcome.trace:
        data["traceback"] = outcome.trace
    if outcome.findings:
        data["findings"] = [_finding(finding) for finding in outcome.findings]
    if outcome.blames and outcome.verdict is Verdict.FAILED:
        data["blame"] = [_blame(blame, spell) for blame in outcome.blames]
    planned = {turn.user.line: turn for turn in outcome.case.turns}
    data["turns"] = [
        {**_turn(turn, spell), **_expected(planned.get(turn.user.line))} for turn in outcome.turns
    ]
    return data


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "line": finding.line,
        "user": finding.user,
        "expected": finding.expected,
        "found": finding.found,
        **({"could_not_be_judged": True} if finding.is_error else {}),
    }


def _blame(blame: Blame, spell: Spell) -> dict[str, Any]:
    return {
        "line": blame.line,
        "user": blame.user,
        "fault": blame.fault.value,
        "reason": blame_text(blame, spell),
        "got": [spell(command) for command in blame.got],
        "needs": None if blame.needs is None else [spell(command) for command in blame.needs],
        "tried": blame.tried,
    }


def _expected(turn: Turn | None) -> dict[str, Any]:
    """Return what must happen in a turn, in words, each with its line."""
    if turn is None:
        return {}
    found = [{"line": one.line, "text": shown(one)} for one in turn.user.assertions]
    for check in turn.checks:
        if isinstance(check, BotStep):
            said = check.response if check.response is not None else repr(check.text)
            found.append({"line": check.line, "text": f"the bot says {said}"})
        else:
            word = "was set" if check.is_set else "was not set"
            found.append({"line": check.line, "text": f"slot {word}: {check.slot}"})
    return {"expected": found}


def _turn(turn: TurnRecord, spell: Spell) -> dict[str, Any]:
    return {
        "user": turn.user.text,
        "line": turn.user.line,
        "commands": [spell(command) for command in turn.commands],
        "flows": [event.flow for event in turn.events if isinstance(event, FlowStarted)],
        "bot": [
            {"generated": True}
            if message.is_generated
            else {**({"utter": message.response} if message.response else {}), "text": message.text}
            for message in turn.messages
        ],
    }
