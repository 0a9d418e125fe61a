"""Annotations of GitHub workflows: each failed step at its line of the test file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from du_eval.commands.base import Command
from du_eval.evaluation.aggregate import Evaluation
from du_eval.evaluation.results import StepResult
from du_eval.runs.outcome import Outcome

_MOST = 50
"""GitHub shows few annotations of a step; the summary has the rest."""


@dataclass(frozen=True)
class GithubReporter:
    """Renders an evaluation as workflow commands."""

    spell: Callable[[Command], str] = str

    def render(self, evaluation: Evaluation) -> str:
        """Return the commands, a line each."""
        return "".join(f"{line}\n" for line in self._lines(evaluation))

    def _lines(self, evaluation: Evaluation) -> Iterator[str]:
        bad = [
            step
            for case in evaluation.run.cases
            for step in (*case.first_that(Outcome.FAILED), *case.first_that(Outcome.ERRORED))
        ]
        for step in bad[:_MOST]:
            yield self._annotation(step)
        if len(bad) > _MOST:
            yield f"::notice title=du-eval::{len(bad) - _MOST} more steps did not pass"

    def _annotation(self, step: StepResult) -> str:
        level = "error" if step.outcome is Outcome.FAILED else "warning"
        text = f"'{step.message}': {step.error}" if step.error else self._difference(step)
        place = f"file={_property(step.place.file)},line={step.place.line},title={_property(step.place.case)}"
        return f"::{level} {place}::{_message(text)}"

    def _difference(self, step: StepResult) -> str:
        expected, predicted = (
            ", ".join(map(self.spell, commands)) or "(no command)"
            for commands in (step.expected, step.predicted)
        )
        return f"'{step.message}'\nexpected : {expected}\npredicted: {predicted}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
