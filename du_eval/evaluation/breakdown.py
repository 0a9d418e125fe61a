"""Hits and misses of each flow and each slot."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from du_eval.commands.base import Command
from du_eval.commands.flows import StartFlow
from du_eval.commands.slots import SetSlot
from du_eval.evaluation.results import StepResult
from du_eval.runs.outcome import Outcome
from du_eval.statistics.counts import Counts


def flow_counts(steps: Iterable[StepResult]) -> dict[str, Counts]:
    """Return how often each flow was started rightly, wrongly and not at all."""
    return _counts(steps, lambda command: command.flow if isinstance(command, StartFlow) else None)


def slot_counts(steps: Iterable[StepResult]) -> dict[str, Counts]:
    """Return how often each slot was filled rightly, wrongly and not at all."""
    return _counts(steps, lambda command: command.slot if isinstance(command, SetSlot) else None)


def _counts(steps: Iterable[StepResult], key: Callable[[Command], str | None]) -> dict[str, Counts]:
    found: dict[str, Counts] = {}
    for step in steps:
        if step.outcome is Outcome.ERRORED:
            continue
        parts = (
            (Counts(tp=1, total=1), [expected for expected, _ in step.diff.matched]),
            (Counts(fn=1, total=1), step.diff.missing),
            (Counts(fp=1), step.diff.unexpected),
        )
        for one, commands in parts:
            for command in commands:
                name = key(command)
                if name is not None:
                    found[name] = found.get(name, Counts()) + one
    return dict(sorted(found.items()))
