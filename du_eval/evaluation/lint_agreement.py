"""Steps where several models agree with each other against the expectation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from du_eval.evaluation.lint import Finding, Severity
from du_eval.runs.records import RunRecord, StepRecord

Key = tuple[str, str, str, int]
_MANY = 3


def agreements(runs: Sequence[RunRecord], least: int = 2) -> Iterator[Finding]:
    """Yield failed steps for which at least so many different models predict the very same.

    Runs of one model are one witness, however many there are. Likely wrong is an expectation against which
    all of several models agree; two alone are only a reason to look.
    """
    answers: dict[Key, dict[tuple[str, ...], set[str]]] = {}
    asked: dict[Key, set[str]] = {}
    places: dict[Key, StepRecord] = {}
    for run in runs:
        witness = run.generator or run.name
        for step in run.steps:
            key = step.file, step.case, step.variant, step.step
            asked.setdefault(key, set()).add(witness)
            if step.outcome == "failed":
                places.setdefault(key, step)
                said = answers.setdefault(key, {})
                said.setdefault(tuple(sorted(step.predicted)), set()).add(witness)
    for key, found in answers.items():
        predicted, agreeing = max(found.items(), key=lambda item: (len(item[1]), item[0]))
        if len(agreeing) >= least:
            yield _finding(places[key], predicted, agreeing, asked[key])


def _finding(step: StepRecord, predicted: tuple[str, ...], agreeing: set[str], asked: set[str]) -> Finding:
    message = (
        f"{len(agreeing)} of {len(asked)} models predict {', '.join(predicted) or 'no command'} for "
        f"'{step.message}', and {', '.join(step.expected) or 'no command'} is expected"
    )
    is_sure = agreeing == asked and len(agreeing) >= _MANY
    severity = Severity.LIKELY_WRONG if is_sure else Severity.DOUBTFUL
    return Finding(severity, step.file, step.line, "agreement", message)
