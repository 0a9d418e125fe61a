"""A run of command tests with the keys of the official tool's report, and ours behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from du_eval.compat.policies import find_policy
from du_eval.compat.rasa import RASA
from du_eval.conversation import Speaker, Turn
from du_eval.errors import InputError
from du_eval.evaluation.aggregate import CommandScore
from du_eval.evaluation.record import TestExtra, TestRun
from du_eval.evaluation.step import StepDetail
from du_eval.generators.base import Prompt, bare
from du_eval.reports.numbers import show_turn
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun, Case, Result, Run
from du_eval.runs.records import RunRecord, StepRecord

if TYPE_CHECKING:
    from du_eval.endtoend.detail import BotLine, DialogueDetail, DialogueTurn, EndToEndExtra
    from du_eval.endtoend.record import EndToEndRun
    from du_eval.endtoend.results import Finding

Data = dict[str, object]
_BLAME = ("line", "user", "fault", "reason", "got", "needs", "tried")


def make_official_report(run: AnyRun, *, shows_prompts: bool = False) -> Data:
    """Return the report; a run of another activity has no such form."""
    extra = run.extra
    if run.head.kind == "e2e":
        return make_endtoend_report(cast("EndToEndRun", run))
    if not isinstance(extra, TestExtra):
        raise InputError(f"a run of du-eval {run.head.kind} has no YAML report; write it as .json")
    judged = cast("TestRun", run).cases
    zero = find_policy(run.head.settings.get("match") or "exact").undefined
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
            for case in judged
            if case.outcome is not Outcome.PASSED
            for step in case.first_that(Outcome.FAILED)
        ],
        "errored_test_steps": [
            _errored_step(case, step) for case in judged for step in case.results_that(Outcome.ERRORED)
        ],
        "signature": run.head.signature,
        **({"unfinished": run.unfinished} if run.unfinished else {}),
    }


def _value(run: AnyRun, name: str, zero: float | None) -> float | None:
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
        "conversation": [show_turn(turn) for turn in (*detail.conversation, Turn(Speaker.USER, step.asked))],
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


def _list_prompt(prompt: Prompt) -> Iterator[tuple[str, object]]:
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


def make_endtoend_report(run: Run[DialogueDetail, EndToEndExtra]) -> Data:
    """Return the report."""
    extra, counts = run.extra, run.count_cases()
    return {
        "number_of_passed_tests": counts[Outcome.PASSED],
        "number_of_failed_tests": counts[Outcome.FAILED],
        "number_of_errored_tests": counts[Outcome.ERRORED],
        "failed_because_of": {str(fault): count for fault, count in (extra.faults if extra else {}).items()},
        "generator": run.head.subject,
        **({"judge": extra.judge} if extra and extra.judge else {}),
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
            data["blame"] = [_pick(one, *_BLAME) for one in detail.blames]
        data["turns"] = [_turn(turn) for turn in detail.turns]
    return data


def _finding(finding: Finding) -> Data:
    open_ = {"could_not_be_judged": True} if finding.is_error else {}
    return {**_pick(finding, "line", "user", "expected", "found"), **open_}


def _turn(turn: DialogueTurn) -> Data:
    return {
        **_pick(turn, "user", "line", "commands", "flows"),
        "bot": [_said(line) for line in turn.bot],
        "expected": [_pick(one, "line", "text") for one in turn.expected],
    }


def _said(line: BotLine) -> Data:
    if line.is_generated:
        return {"generated": True}
    return {**({"utter": line.response} if line.response else {}), "text": line.text}


def _pick(found: Struct, *names: str) -> Data:
    """Return some fields of a struct as plain data."""
    return {name: to_builtins(getattr(found, name)) for name in names}


CASES = "test cases"
_OUTCOMES = ("passed", "failed", "errored")


def is_official(data: Mapping[str, object]) -> bool:
    """Tell whether data have the keys of the official tool's report."""
    return all(isinstance(data.get(f"names_of_{outcome}_tests"), list) for outcome in _OUTCOMES[:2])


def make_official_record(data: Mapping[str, object], name: str) -> RunRecord:
    """Return such a report for comparison, case by case: it does not list the steps of cases that passed."""
    signature = str(data.get("signature", ""))
    parts = dict(part.partition(":")[::2] for part in signature.split("|"))
    return RunRecord(
        name=name,
        steps=tuple(_cases(data)),
        signature=signature,
        policy=parts.get("match", RASA),
        unit=CASES,
        unfinished=str(data.get("unfinished") or ""),
    )


def _cases(data: Mapping[str, object]) -> Iterator[StepRecord]:
    for outcome in _OUTCOMES:
        names = data.get(f"names_of_{outcome}_tests")
        for name in names if isinstance(names, list) else ():
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
