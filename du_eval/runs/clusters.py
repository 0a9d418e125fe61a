"""The rates of a run by conversation: what intervals are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from du_eval.runs.outcome import Outcome
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.clusters import Clusters

Place = tuple[str, str, str]
_Sums = dict[str, dict[Place, tuple[int, int]]]


def cluster_rates(run: RunRecord) -> Mapping[str, Clusters]:
    """Return successes and attempts of each conversation, for every rate of a run."""
    found: _Sums = {}
    for step in run.steps:
        place = step.file, step.case, step.variant
        for name, good, attempts in _list_rates(step, decides=run.decides):
            sums = found.setdefault(name, {})
            before = sums.get(place, (0, 0))
            sums[place] = before[0] + good, before[1] + attempts
    return {name: list(sums.values()) for name, sums in found.items()}


def _list_rates(step: StepRecord, *, decides: bool) -> Iterable[tuple[str, int, int]]:
    """Yield what a step adds to each rate: of passed steps, of labels, and of checks that hold or not."""
    if not step.is_judged:
        return
    if decides:
        yield "accuracy", int(step.outcome == Outcome.PASSED), 1
    for name, counts in step.counts.items():
        key = name.replace(" ", "_")
        yield f"precision.{key}", counts.tp, counts.tp + counts.fp
        yield f"recall.{key}", counts.tp, counts.tp + counts.fn
    for name, value in step.scores.items():
        if value in (0.0, 1.0):
            yield name, int(value), 1
