"""A run of command tests with the keys of the official tool's report, and ours behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from du_eval.conversation import Speaker, Turn
from du_eval.endtoend.detail import EndToEndExtra
from du_eval.errors import InputError
from du_eval.evaluation.aggregate import CommandScore
from du_eval.evaluation.detail import StepDetail, TestExtra
from du_eval.evaluation.policies import policy_named
from du_eval.generators.base import Prompt, bare
from du_eval.reports.official_endtoend import make_endtoend_report
from du_eval.reports.text import spoken
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Result, Run

Data = dict[str, Any]


def make_official_report(run: Run[Any, Any], *, shows_prompts: bool = False) -> Data:
    """Return the report; a run of another activity has no such form."""
    extra = run.extra
    if isinstance(extra, EndToEndExtra):
        return make_endtoend_report(run)
    if not isinstance(extra, TestExtra):
        raise InputError(f"a run of du-eval {run.head.kind} has no YAML report; write it as .json")
    zero = policy_named(run.head.settings.get("match") or "exact").undefined
    cases, steps = run.count_cases(), run.count_results()
    names = {outcome: [case.id for case in run.cases if case.outcome is outcome] for outcome in Outcome}
    return {
        "accuracy": {
            "test_cases": _value(run, "accuracy.cases", zero),
            "user_utterances": _value(run, "accuracy", zero),
        },
        "f1_score": {
            "macro": _value(run, "f1.macro", zero),
            "micro": _value(run, "f1.micro", zero),
            "weighted_average": _value(run, "f1.weighted", zero),
        },
        "number_of_passed_tests": cases[Outcome.PASSED],
        "number_of_failed_tests": cases[Outcome.FAILED],
        "number_of_passed_user_utterances": steps[Outcome.PASSED],
        "number_of_failed_user_utterances": steps[Outcome.FAILED],
        "number_of_errored_tests": cases[Outcome.ERRORED],
        "number_of_errored_user_utterances": steps[Outcome.ERRORED],
        "command_metrics": {name: _score(score, zero) for name, score in extra.commands.items()},
        "latency": _plain(extra.quantities.get("latency", {})),
        "prompt_token": _plain(extra.quantities.get("prompt tokens", {})),
        "completion_token": _plain(extra.quantities.get("completion tokens", {})),
        "names_of_passed_tests": names[Outcome.PASSED],
        "names_of_failed_tests": names[Outcome.FAILED],
        "names_of_errored_tests": names[Outcome.ERRORED],
        "failed_test_steps": [
            _failed_step(case, step, run.head.subject, shows_prompts=shows_prompts)
            for case in run.cases
            if case.outcome is not Outcome.PASSED
            for step in case.first_that(Outcome.FAILED)
        ],
        "errored_test_steps": [
            _errored_step(case, step) for case in run.cases for step in case.results_that(Outcome.ERRORED)
        ],
        "signature": run.head.signature,
        **({"unfinished": run.unfinished} if run.unfinished else {}),
    }


def _value(run: Run[Any, Any], name: str, zero: float | None) -> float | None:
    figure = run.figure(name)
    return zero if figure is None or figure.value is None else figure.value


def _failed_step(
    case: Case[StepDetail], step: Result[StepDetail], subject: str, *, shows_prompts: bool
) -> Data:
    detail = step.detail
    components = detail.components or ((subject, step.actual),)
    data: Data = {
        "file": case.file,
        "test_case": case.name,
        "conversation": [spoken(turn) for turn in (*detail.conversation, Turn(Speaker.USER, step.asked))],
        "failed_user_utterance": step.asked,
        "error_line": step.line,
        "pass_status": False,
        "expected_commands": list(step.expected),
        "predicted_commands": [
            {"component": name, "commands": list(commands)} for name, commands in components if commands
        ],
    }
    optional: Data = {
        "samples": _tell_samples(case, step),
        "unparsed": list(detail.unparsed),
        "unknown_flows": list(detail.unknown_flows),
        "prompts": _by_component(detail.prompts if shows_prompts else tuple(map(bare, detail.prompts))),
    }
    return data | {key: value for key, value in optional.items() if value}


def _tell_samples(case: Case[StepDetail], step: Result[StepDetail]) -> str:
    samples = [one for one in case.results if one.key.step == step.key.step]
    if len(samples) < 2:
        return ""
    failed = sum(one.outcome is Outcome.FAILED for one in samples)
    return f"failed in {failed} of {len(samples)} samples; this is sample {step.key.sample}"


def _errored_step(case: Case[StepDetail], step: Result[StepDetail]) -> Data:
    return {
        "file": case.file,
        "test_case": case.name,
        "errored_user_utterance": step.asked,
        "error_line": step.line,
        "error": step.error,
    }


def _by_component(prompts: Sequence[Prompt]) -> dict[str, list[Data]]:
    found: dict[str, list[Data]] = {}
    for prompt in prompts:
        found.setdefault(prompt.component or prompt.name, []).append(dict(_list_prompt(prompt)))
    return found


def _list_prompt(prompt: Prompt) -> Iterator[tuple[str, Any]]:
    values = {
        "prompt_name": prompt.name,
        "latency": prompt.latency_seconds,
        "prompt_tokens": prompt.prompt_tokens,
        "completion_tokens": prompt.completion_tokens,
        "choices": [prompt.answer] if prompt.answer else [],
        "cost": prompt.cost,
        "retries": prompt.retries or None,
        "cached": prompt.is_cached or None,
        "user_prompt": prompt.user or None,
        "system_prompt": prompt.system or None,
    }
    yield from ((key, value) for key, value in values.items() if value is not None)


def _score(score: CommandScore, zero: float | None) -> Data:
    counts = score.counts
    rates = {"precision": counts.precision, "recall": counts.recall, "f1_score": counts.f1}
    return {
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        **{name: zero if value is None else value for name, value in rates.items()},
        "total_count": counts.total,
    }


def _plain(table: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return what the official format knows of measured quantities: percentiles."""
    return {
        name: {key: value for key, value in values.items() if key.startswith("p")}
        for name, values in table.items()
    }
