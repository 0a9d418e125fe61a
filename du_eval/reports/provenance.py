"""Where the failed steps of a run come from, as lines and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from du_eval.evaluation.explanation import Provenance, Sign
from du_eval.evaluation.results import RunResult, StepResult
from du_eval.reports.text import one_line
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Measurement, proportion

_CONFIDENCE = 0.95
_REASONING_SHOWN = 300


def provenance_counts(run: RunResult) -> dict[str, int]:
    """Return how many failed and errored steps come from where, the most frequent first."""
    found = Counter(
        step.explanation.provenance.value
        for step in run.steps()
        if step.outcome is not Outcome.PASSED and step.explanation.provenance is not None
    )
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def sign_counts(run: RunResult) -> dict[str, int]:
    """Return how many answers show what, whether or not their steps passed."""
    found = Counter(sign.value for step in run.steps() for sign in step.explanation.signs)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def accuracy_in_perfect_form(run: RunResult) -> Measurement:
    """Return the share of judged steps that would pass if everything had come in the right form."""
    judged = [step for step in run.steps() if step.outcome is not Outcome.ERRORED]
    right = sum(_is_right(step) for step in judged)
    return proportion(right, len(judged), _CONFIDENCE)


def _is_right(step: StepResult) -> bool:
    return step.outcome is Outcome.PASSED or step.explanation.passes_in_perfect_form


def provenance_data(run: RunResult) -> dict[str, Any]:
    """Return it all as plain data; what did not occur is left out."""
    counts, signs = provenance_counts(run), sign_counts(run)
    data: dict[str, Any] = {}
    if counts:
        form = accuracy_in_perfect_form(run)
        data["provenance"] = {"counts": counts, "accuracy_if_format_were_perfect": form.value, "n": form.n}
    return data | ({"answers_with": signs} if signs else {})


def explanation_data(step: StepResult) -> dict[str, Any]:
    """Return what is known about the answer of a step."""
    found = step.explanation
    data = {
        "provenance": found.provenance.value if found.provenance else None,
        "hallucinated": list(found.hallucinated),
        "reasoning": found.reasoning,
    }
    return {key: value for key, value in data.items() if value}


def provenance_lines(run: RunResult) -> Iterator[str]:
    """Yield where the steps that did not pass come from, and what a better form alone would give."""
    counts = provenance_counts(run)
    for name, count in counts.items():
        yield f"{count:5} x {name}"
    gained = [s for s in run.steps() if s.outcome is Outcome.FAILED and s.explanation.passes_in_perfect_form]
    if gained:
        form = accuracy_in_perfect_form(run)
        yield f"accuracy if the format were perfect: {form.value:.2f} (+{len(gained)} of {form.n} steps)"
    for name, count in sign_counts(run).items():
        if name != Sign.UNPARSED:
            yield f"{count} answer{'s' * (count != 1)} with {name}"


def step_remarks(step: StepResult) -> Iterator[Text]:
    """Yield what else there is to say about a failed step: what could not be read, and the cause."""
    for flow in step.unknown_flows:
        yield Text(f"unknown flow: {one_line(flow)}", style="yellow")
    for call in step.explanation.hallucinated:
        yield Text(f"no such command: {one_line(call)}", style="yellow")
    if step.unparsed:
        yield Text("-- UNPARSED --", style="bold")
        for text in step.unparsed:
            yield Text(one_line(text), style="yellow")
    if step.explanation.reasoning:
        yield Text("-- REASONING (its end) --", style="bold")
        yield Text(one_line(step.explanation.reasoning[-_REASONING_SHOWN:]), style="dim")
    if step.explanation.provenance not in {None, Provenance.MODEL}:
        yield Text(f"cause: {step.explanation.provenance}", style="yellow")
