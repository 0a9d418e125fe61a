"""The kinds of mistakes of a run, as lines and as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from du_eval.commands.base import Command
from du_eval.evaluation.aggregate import step_counts
from du_eval.evaluation.breakdown import flow_counts, slot_counts
from du_eval.evaluation.confusion import Pairs, confused_with, confusion_of
from du_eval.evaluation.results import CaseResult, RunResult, StepResult
from du_eval.evaluation.taxonomy import Residual, mistakes_of
from du_eval.generators.base import Place
from du_eval.reports.text import spoken
from du_eval.runs.outcome import Outcome
from du_eval.statistics.counts import Counts

Spell = Callable[[Command], str]
_SHOWN = 5


def mistake_lines(run: RunResult) -> Iterator[str]:
    """Yield the most frequent kinds of mistakes, and what is taken for what."""
    confusion = confusion_of(run.cases)
    for kind, count in confusion.top(_SHOWN):
        yield f"{count:5} x {kind.value} (in {confusion.steps[kind]} steps)"
    more = len(confusion.kinds) - _SHOWN
    if more > 0:
        yield f"        and {more} more kinds (the JSON report has all of them)"
    confused = confused_with(confusion.flows)
    ranked = sorted(confused.items(), key=lambda item: (-sum(count for _, count in item[1]), item[0]))
    for flow, others in ranked[:_SHOWN]:
        yield f"flow {flow} became {', '.join(f'{name} ({count})' for name, count in others[:3])}"


def confusion_data(run: RunResult) -> dict[str, Any]:
    """Return the mistakes of a run as plain data."""
    confusion = confusion_of(run.cases)
    steps = list(run.steps())
    return {
        "mistakes": {
            kind.value: {"count": count, "steps": confusion.steps[kind]}
            for kind, count in confusion.top(len(confusion.kinds))
        },
        "confusion": {
            "commands": _pairs(confusion.commands),
            "flows": _pairs(confusion.flows),
            "slots": _pairs(confusion.slots),
            "values": [
                [wrong.slot, wrong.expected, wrong.predicted, wrong.count, round(wrong.distance, 3)]
                for wrong in confusion.values
            ],
        },
        "confused_with": {
            "commands": confused_with(confusion.commands),
            "flows": confused_with(confusion.flows),
        },
        "flow_metrics": _metrics(flow_counts(steps)),
        "slot_metrics": _metrics(slot_counts(steps)),
    }


def _pairs(pairs: Pairs) -> list[list[Any]]:
    ranked = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return [[expected, predicted, count] for (expected, predicted), count in ranked]


def _metrics(counts: Mapping[str, Counts]) -> dict[str, Any]:
    return {
        name: {
            "tp": found.tp,
            "fp": found.fp,
            "fn": found.fn,
            "precision": found.precision,
            "recall": found.recall,
            "f1_score": found.f1,
        }
        for name, found in counts.items()
    }


def step_details(case: CaseResult, policy: str, spell: Spell) -> dict[Place, dict[str, Any]]:
    """Return what a comparison and a page need of each step: counts, mistakes, conversation, state."""
    counts = {step.place: found for step, found in step_counts(case, policy)}
    return {
        step.place: _details(step, residuals, counts.get(step.place, {}), spell)
        for step, residuals in mistakes_of(case)
    }


def _details(
    step: StepResult, residuals: tuple[Residual, ...], counts: Mapping[str, Counts], spell: Spell
) -> dict[str, Any]:
    data: dict[str, Any] = {
        "question": step.question,
        "counts": {name: [found.tp, found.fp, found.fn] for name, found in counts.items()},
    }
    if step.outcome is Outcome.PASSED:
        return data
    state = step.state
    optional = {
        "mistakes": [_mistake(residual, spell) for residual in residuals],
        "conversation": [spoken(turn) for turn in step.history],
        "state": {
            key: value
            for key, value in (
                ("flow", state.active_flow),
                ("asked", state.asked_slot),
                ("slots", {name: str(value) for name, value in state.slots.items() if value is not None}),
            )
            if value
        },
    }
    return data | {key: value for key, value in optional.items() if value}


def _mistake(residual: Residual, spell: Spell) -> dict[str, Any]:
    data = {
        "kind": residual.kind.value,
        "expected": spell(residual.expected) if residual.expected else None,
        "predicted": spell(residual.predicted) if residual.predicted else None,
        "distance": None if residual.distance is None else round(residual.distance, 3),
    }
    return {key: value for key, value in data.items() if value is not None}
