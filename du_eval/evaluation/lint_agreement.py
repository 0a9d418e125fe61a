"""Steps where several runs agree with each other against the expectation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from du_eval.evaluation.lint import Finding, Severity
from du_eval.evaluation.records import RunRecord, StepRecord


def agreements(runs: Sequence[RunRecord], least: int = 2) -> Iterator[Finding]:
    """Yield failed steps at which at least so many runs predict the very same."""
    found: dict[tuple[str, str, int, int], dict[tuple[str, ...], set[str]]] = {}
    places: dict[tuple[str, str, int, int], StepRecord] = {}
    for run in runs:
        for step in run.steps:
            if step.outcome == "failed":
                key = step.file, step.case, step.twin, step.step
                places.setdefault(key, step)
                said = found.setdefault(key, {})
                said.setdefault(tuple(sorted(step.predicted)), set()).add(run.name)
    for key, answers in found.items():
        predicted, agreeing = max(answers.items(), key=lambda item: len(item[1]))
        if len(agreeing) >= least:
            step = places[key]
            message = (
                f"{len(agreeing)} of {len(runs)} runs predict {', '.join(predicted) or 'no command'} for "
                f"'{step.message}', and {', '.join(step.expected) or 'no command'} is expected"
            )
            severity = Severity.LIKELY_WRONG if len(agreeing) == len(runs) else Severity.DOUBTFUL
            yield Finding(severity, step.file, step.line, "agreement", message)
