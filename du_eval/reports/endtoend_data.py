"""End-to-end results as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from du_eval.commands.base import Command
from du_eval.endtoend.results import CaseOutcome, EndToEndResult, Finding, TurnRecord, Verdict

Spell = Callable[[Command], str]


def endtoend_data(result: EndToEndResult, spell: Spell) -> dict[str, Any]:
    """Return all that is known about a run."""
    return {
        **{f"number_of_{verdict.value}_tests": result.count(verdict) for verdict in Verdict},
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
        data["error"] = outcome.error
    if outcome.findings:
        data["findings"] = [_finding(finding) for finding in outcome.findings]
    data["turns"] = [_turn(turn, spell) for turn in outcome.turns]
    return data


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "line": finding.line,
        "user": finding.user,
        "expected": finding.expected,
        "found": finding.found,
        **({"could_not_be_judged": True} if finding.is_error else {}),
    }


def _turn(turn: TurnRecord, spell: Spell) -> dict[str, Any]:
    return {
        "user": turn.user.text,
        "line": turn.user.line,
        "commands": [spell(command) for command in turn.commands],
        "bot": [
            {"generated": True}
            if message.is_generated
            else {**({"utter": message.response} if message.response else {}), "text": message.text}
            for message in turn.messages
        ],
    }
