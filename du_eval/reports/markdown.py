"""A run as Markdown: for a pull request, a chat or the summary of a build."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from du_eval.commands.base import Command
from du_eval.evaluation.aggregate import Evaluation
from du_eval.evaluation.confusion import confusion_of
from du_eval.evaluation.results import StepResult
from du_eval.reports.comparison_text import escaped
from du_eval.reports.robustness import robustness_markdown
from du_eval.reports.text import measured
from du_eval.runs.outcome import Outcome

_SHOWN = 20
_SHOWN_OUTCOMES = (Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED)


@dataclass(frozen=True)
class MarkdownReporter:
    """Renders an evaluation as Markdown."""

    spell: Callable[[Command], str] = str

    def render(self, evaluation: Evaluation) -> str:
        """Return the report."""
        return "\n".join(self._lines(evaluation)) + "\n"

    def _lines(self, evaluation: Evaluation) -> Iterator[str]:
        cases, steps = evaluation.cases, evaluation.steps
        sign = "❌" if evaluation.has_failures else "⚠️" if evaluation.has_errors else "✅"
        yield f"## {sign} {cases[Outcome.PASSED]} of {sum(cases.values())} test cases passed"
        yield ""
        yield "| | passed | failed | errored | accuracy |"
        yield "|---|---:|---:|---:|---|"
        for name, counts, rate in (
            ("test cases", cases, evaluation.case_accuracy),
            ("user steps", steps, evaluation.step_accuracy),
        ):
            numbers = " | ".join(str(counts[outcome]) for outcome in _SHOWN_OUTCOMES)
            yield f"| {name} | {numbers} | {measured(rate)} |"
        yield ""
        yield from self._commands(evaluation)
        yield from self._mistakes(evaluation)
        if evaluation.robustness:
            yield from robustness_markdown(evaluation.robustness)
        yield from self._failures(evaluation)
        yield f"<sub>{escaped(evaluation.signature)}</sub>"

    def _commands(self, evaluation: Evaluation) -> Iterator[str]:
        if not evaluation.commands:
            return
        yield "| command | expected | precision | recall | F1 |"
        yield "|---|---:|---|---|---|"
        for name, score in evaluation.commands.items():
            figures = " | ".join(measured(value) for value in (score.precision, score.recall, score.f1))
            yield f"| {escaped(name)} | {score.counts.total} | {figures} |"
        yield ""

    def _mistakes(self, evaluation: Evaluation) -> Iterator[str]:
        top = confusion_of(evaluation.run.cases).top()
        if top:
            yield (
                "Most frequent mistakes: " + ", ".join(f"{kind.value} ({count})" for kind, count in top) + "."
            )
            yield ""

    def _failures(self, evaluation: Evaluation) -> Iterator[str]:
        bad = [step for case in evaluation.run.cases for step in case.first_that(Outcome.FAILED)]
        bad += [step for case in evaluation.run.cases for step in case.first_that(Outcome.ERRORED)]
        if not bad:
            return
        yield f"<details><summary>{len(bad)} steps that did not pass</summary>"
        yield ""
        yield "| where | message | expected | predicted |"
        yield "|---|---|---|---|"
        for step in bad[:_SHOWN]:
            cells = (str(step.place), step.message, self._spelled(step.expected), self._predicted(step))
            yield "| " + " | ".join(map(escaped, cells)) + " |"
        yield ""
        if len(bad) > _SHOWN:
            yield f"… and {len(bad) - _SHOWN} more"
            yield ""
        yield "</details>"
        yield ""

    def _predicted(self, step: StepResult) -> str:
        return f"error: {step.error}" if step.error else self._spelled(step.predicted)

    def _spelled(self, commands: tuple[Command, ...]) -> str:
        return ", ".join(map(self.spell, commands)) or "(no command)"
