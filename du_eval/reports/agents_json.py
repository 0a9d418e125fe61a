"""A run of agent cases for programs to read: everything that is known."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from du_eval.agents.assessor import Assessment
from du_eval.agents.results import AgentRun, CaseResult, InteractionResult, Outcome, SampleResult
from du_eval.reports.agents_modes import modes_value
from du_eval.reports.agents_numbers import numbers_of

_OUTCOMES = (Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED)


def render_json(run: AgentRun, assessments: tuple[Assessment, ...] = ()) -> str:
    """Return the report as JSON."""
    modes = {id(one.result): modes_value(one) for one in assessments}
    numbers = numbers_of(run)
    value = {
        "format": "du-eval agent report 1",
        "signature": run.signature,
        "seconds": run.seconds,
        "interrupted": run.is_interrupted,
        "exit_code": int(run.exit_code),
        "counts": {outcome.value: run.count(outcome) for outcome in _OUTCOMES},
        "numbers": asdict(numbers),
        "cases": [_case(case, modes.get(id(case), [])) for case in run.cases],
    }
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"


def _case(case: CaseResult, modes: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": case.case.name,
        "file": case.case.file,
        "agent": case.case.agent,
        "connection": case.connection.name,
        "outcome": case.outcome.value,
        "flaky": case.is_flaky,
        "success_ratio": str(case.case.ratio),
        "pass_rate": asdict(case.pass_rate),
        "seconds": case.seconds,
        "samples": [_sample(sample) for sample in case.samples],
        "failure_modes": modes,
    }


def _sample(sample: SampleResult) -> dict[str, Any]:
    return {
        "number": sample.number,
        "outcome": sample.outcome.value,
        "seconds": sample.seconds,
        "error": sample.error or None,
        "interactions": [_interaction(one) for one in sample.interactions],
    }


def _interaction(interaction: InteractionResult) -> dict[str, Any]:
    reply = asdict(interaction.reply) if interaction.reply else {}
    return {
        "text": interaction.text,
        "outcome": interaction.outcome.value,
        "seconds": interaction.seconds,
        "error": interaction.error or None,
        "response": {key: reply.get(key) for key in ("text", "structure", "sly_data")} if reply else None,
        "tools": reply.get("tools", []),
        "usage": reply.get("usage"),
        "messages": reply.get("messages", []),
        "checks": [{**asdict(check), "outcome": check.outcome.value} for check in interaction.checks],
    }
