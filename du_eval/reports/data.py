"""Results as plain data: everything for JSON, and the keys of the official tool for YAML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from du_eval.commands.base import Command
from du_eval.conversation import Speaker, Turn
from du_eval.evaluation.aggregate import CommandScore, Evaluation
from du_eval.evaluation.figures import figures_of
from du_eval.evaluation.results import CaseResult, Drive, StepResult
from du_eval.generators.base import Prompt
from du_eval.reports.goals import goal_data
from du_eval.reports.mistakes import confusion_data, step_details
from du_eval.reports.provenance import explanation_data, provenance_data
from du_eval.reports.repeats import more_data, samples_remark
from du_eval.reports.replay_data import interval_data, measurement_data, replay_data
from du_eval.reports.robustness import robustness_data
from du_eval.reports.text import spoken
from du_eval.runs.outcome import Outcome

Spell = Callable[[Command], str]


@dataclass(frozen=True)
class DataReporter:
    """Turns an evaluation into plain data."""

    spell: Spell = str
    show_prompts: bool = False

    def everything(self, evaluation: Evaluation) -> dict[str, Any]:
        """Return all that is known about a run."""
        return {**self.overview(evaluation), "test_cases": list(self.cases(evaluation))}

    def cases(self, evaluation: Evaluation) -> Iterator[dict[str, Any]]:
        """Yield the cases one by one, so that a large run need not be held twice."""
        for case in evaluation.run.cases:
            yield self._case(case, evaluation.run.policy)

    def overview(self, evaluation: Evaluation) -> dict[str, Any]:
        """Return all but the cases."""
        run = evaluation.run
        return {
            "signature": evaluation.signature,
            "generator": run.generator,
            "match": run.policy,
            "syntax": run.syntax,
            "interrupted": run.is_interrupted,
            "seconds": run.seconds,
            "notes": list(run.notes),
            "cases": {outcome.value: count for outcome, count in evaluation.cases.items()},
            "steps": {outcome.value: count for outcome, count in evaluation.steps.items()},
            "accuracy": {
                "test_cases": measurement_data(evaluation.case_accuracy),
                "user_utterances": measurement_data(evaluation.step_accuracy),
            },
            "f1_score": {
                **asdict(evaluation.f1),
                "intervals": {name: interval_data(value) for name, value in evaluation.f1_intervals.items()},
            },
            "command_metrics": {name: _score(score) for name, score in evaluation.commands.items()},
            "latency": _plain(evaluation.latency),
            "prompt_token": _plain(evaluation.prompt_tokens),
            "completion_token": _plain(evaluation.completion_tokens),
            **more_data(run, evaluation.repeats),
            **replay_data(run),
            "figures": figures_of(evaluation),
            **confusion_data(run),
            **provenance_data(run),
            **({"robustness": robustness_data(evaluation.robustness)} if evaluation.robustness else {}),
            **({"goals": goal_data(evaluation.goals)} if evaluation.goals else {}),
        }

    def official(self, evaluation: Evaluation) -> dict[str, Any]:
        """Return the report with the keys of the official tool, and ours behind them."""
        run = evaluation.run
        names = {outcome: [c.id for c in run.cases if c.outcome is outcome] for outcome in Outcome}
        zero = 0.0 if run.policy == "rasa" else None
        return {
            "accuracy": {
                "test_cases": _or(evaluation.case_accuracy.value, zero),
                "user_utterances": _or(evaluation.step_accuracy.value, zero),
            },
            "f1_score": {
                "macro": _or(evaluation.f1.macro, zero),
                "micro": _or(evaluation.f1.micro, zero),
                "weighted_average": _or(evaluation.f1.weighted, zero),
            },
            "number_of_passed_tests": evaluation.cases[Outcome.PASSED],
            "number_of_failed_tests": evaluation.cases[Outcome.FAILED],
            "number_of_passed_user_utterances": evaluation.steps[Outcome.PASSED],
            "number_of_failed_user_utterances": evaluation.steps[Outcome.FAILED],
            "number_of_errored_tests": evaluation.cases[Outcome.ERRORED],
            "number_of_errored_user_utterances": evaluation.steps[Outcome.ERRORED],
            "command_metrics": {
                name: _official_score(score, zero) for name, score in evaluation.commands.items()
            },
            "latency": _plain(evaluation.latency),
            "prompt_token": _plain(evaluation.prompt_tokens),
            "completion_token": _plain(evaluation.completion_tokens),
            "names_of_passed_tests": names[Outcome.PASSED],
            "names_of_failed_tests": names[Outcome.FAILED],
            "names_of_errored_tests": names[Outcome.ERRORED],
            "failed_test_steps": [
                self._failed_step(step, run.generator, samples_remark(case, step))
                for case in run.cases
                if case.outcome is not Outcome.PASSED
                for step in case.first_that(Outcome.FAILED)
            ],
            "errored_test_steps": [
                _errored_step(step) for step in run.steps() if step.outcome is Outcome.ERRORED
            ],
            **more_data(run, evaluation.repeats),
            **replay_data(run),
            **({"robustness": robustness_data(evaluation.robustness)} if evaluation.robustness else {}),
            "signature": evaluation.signature,
            **({"interrupted": True} if run.is_interrupted else {}),
        }

    def _case(self, case: CaseResult, policy: str) -> dict[str, Any]:
        more = step_details(case, policy, self.spell)
        return {
            "file": case.file,
            "test_case": case.name,
            "line": case.line,
            "outcome": case.outcome.value,
            "steps": [self._step(step) | more[step.place] for step in case.steps],
            **({"predicted_history": self._drive(case.drive)} if case.drive else {}),
        }

    def _drive(self, drive: Drive) -> dict[str, Any]:
        return {
            "diverged_at": drive.diverged_at,
            "recovered_at": drive.recovered_at,
            "reused": drive.reused,
            **({"stopped": drive.stopped} if drive.stopped else {}),
            "steps": [self._step(step) for step in drive.steps],
        }

    def _step(self, step: StepResult) -> dict[str, Any]:
        data: dict[str, Any] = {
            "step": step.place.step,
            "line": step.place.line,
            "user": step.message,
            "outcome": step.outcome.value,
            "expected": self._spelled(step.expected),
            "predicted": self._spelled(step.predicted),
            "missing": self._spelled(step.diff.missing),
            "unexpected": self._spelled(step.diff.unexpected),
            "latency_seconds": step.latency_seconds,
        }
        optional = {
            "sample": step.place.sample if step.place.sample > 1 else None,
            "components": {name: self._spelled(commands) for name, commands in step.components},
            "unparsed": list(step.unparsed),
            "unknown_flows": list(step.unknown_flows),
            "raw": step.raw,
            "error": step.error,
            "prompts": [self._prompt(prompt) for prompt in step.prompts],
            **explanation_data(step),
        }
        data.update({key: value for key, value in optional.items() if value})
        return data

    def _spelled(self, commands: tuple[Command, ...]) -> list[str]:
        return [self.spell(command) for command in commands]

    def _failed_step(self, step: StepResult, generator: str, remark: str) -> dict[str, Any]:
        components = step.components or ((generator, step.predicted),)
        data: dict[str, Any] = {
            "file": step.place.file,
            "test_case": step.place.case,
            "conversation": [spoken(turn) for turn in (*step.history, _user(step))],
            "failed_user_utterance": step.message,
            "error_line": step.place.line,
            "pass_status": False,
            "expected_commands": self._spelled(step.expected),
            "predicted_commands": [
                {"component": name, "commands": self._spelled(commands)}
                for name, commands in components
                if commands
            ],
        }
        optional: dict[str, Any] = {
            "samples": remark,
            "unparsed": list(step.unparsed),
            "unknown_flows": list(step.unknown_flows),
        }
        if step.prompts:
            optional["prompts"] = self._prompts_by_component(step.prompts)
        data.update({key: value for key, value in optional.items() if value})
        return data

    def _prompts_by_component(self, prompts: tuple[Prompt, ...]) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for prompt in prompts:
            found.setdefault(prompt.component or prompt.name, []).append(self._prompt(prompt))
        return found

    def _prompt(self, prompt: Prompt) -> dict[str, Any]:
        data: dict[str, Any] = {
            "prompt_name": prompt.name,
            "latency": prompt.latency_seconds,
            "prompt_tokens": prompt.prompt_tokens,
            "completion_tokens": prompt.completion_tokens,
            "choices": [prompt.answer] if prompt.answer else [],
            "cost": prompt.cost,
            "retries": prompt.retries or None,
            "cached": prompt.is_cached or None,
        }
        if self.show_prompts:
            data |= {"user_prompt": prompt.user, "system_prompt": prompt.system}
        return {key: value for key, value in data.items() if value is not None}


def _user(step: StepResult) -> Turn:
    return Turn(Speaker.USER, step.message)


def _errored_step(step: StepResult) -> dict[str, Any]:
    return {
        "file": step.place.file,
        "test_case": step.place.case,
        "errored_user_utterance": step.message,
        "error_line": step.place.line,
        "error": step.error,
    }


def _score(score: CommandScore) -> dict[str, Any]:
    counts = score.counts
    return {
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "total_count": counts.total,
        "precision": measurement_data(score.precision),
        "recall": measurement_data(score.recall),
        "f1_score": measurement_data(score.f1),
    }


def _official_score(score: CommandScore, zero: float | None) -> dict[str, Any]:
    counts = score.counts
    return {
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "precision": _or(counts.precision, zero),
        "recall": _or(counts.recall, zero),
        "f1_score": _or(counts.f1, zero),
        "total_count": counts.total,
    }


def _or(value: float | None, zero: float | None) -> float | None:
    return zero if value is None else value


def _plain(table: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {name: dict(values) for name, values in table.items()}
