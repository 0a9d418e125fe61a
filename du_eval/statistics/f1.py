"""How sure we are of F1: intervals by command, and of the averages over commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec import Struct, field

from du_eval.statistics.clusters import clustered_interval
from du_eval.statistics.counts import Counts, pool_counts, sum_counts
from du_eval.statistics.intervals import Interval
from du_eval.statistics.quantiles import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

METHOD = "clustered-jaccard"
MACRO, MICRO, WEIGHTED = "macro", "micro", "weighted"

Cases = Sequence[Mapping[str, Counts]]
"""The counts of each conversation, by command."""
_WEIGHTS: Mapping[str, Callable[[Counts], float]] = {
    MACRO: lambda counts: float(counts.f1 is not None),
    WEIGHTED: lambda counts: float(counts.total),
}


class F1Intervals(Struct, frozen=True):
    """The intervals of single commands, and of their averages: a command may be called like an average."""

    commands: Mapping[str, Interval] = field(default_factory=dict)
    averages: Mapping[str, Interval] = field(default_factory=dict)


def f1_intervals(cases: Cases, confidence: float = 0.95) -> F1Intervals:
    """Return the intervals of F1 by command, and of macro, micro and weighted F1.

    F1 is a function of the Jaccard share J = tp / (tp + fp + fn), F1 = 2J / (1 + J), so the interval of J
    over conversations gives that of F1. An average over commands is as sure as independent commands make it,
    or as leaving out one conversation at a time does, whichever is wider.
    """
    by_name = pool_counts(cases)
    names = sorted(name for name, counts in by_name.items() if counts.f1 is not None)
    if not names:
        return F1Intervals()
    commands = {name: _of_shares([case.get(name, Counts()) for case in cases], confidence) for name in names}
    micro = _of_shares([sum_counts(case.values()) for case in cases], confidence)
    known = {name: by_name[name] for name in names}
    found = {
        average: _average(cases, known, commands, average, confidence)
        for average, weigh in _WEIGHTS.items()
        if any(map(weigh, known.values()))
    }
    return F1Intervals(commands, {**found, MICRO: micro})


def _of_shares(counts: Sequence[Counts], confidence: float) -> Interval:
    shares = [(one.tp, one.tp + one.fp + one.fn) for one in counts]
    found = clustered_interval(shares, confidence)
    assert found is not None, "only commands that occur have an interval"
    return Interval(convert_jaccard(found.low), convert_jaccard(found.high))


def convert_jaccard(share: float) -> float:
    """Return the F1 of a Jaccard share."""
    return 2 * share / (1 + share)


def _average(
    cases: Cases,
    by_name: Mapping[str, Counts],
    bounds: Mapping[str, Interval],
    average: str,
    confidence: float,
) -> Interval:
    """Return the interval of a weighted mean of F1 scores."""
    weights = {name: _WEIGHTS[average](counts) for name, counts in by_name.items()}
    scores = {name: counts.f1 or 0.0 for name, counts in by_name.items()}
    total = sum(weights.values())
    value = sum(weight * scores[name] for name, weight in weights.items()) / total
    together = _jackknife(cases, by_name, _WEIGHTS[average], confidence)
    low, high = (
        max(together, sqrt(sum((weights[name] * (end - scores[name])) ** 2 for name, end in ends)) / total)
        for ends in (
            [(name, bounds[name].low) for name in weights],
            [(name, bounds[name].high) for name in weights],
        )
    )
    return Interval(max(0.0, value - low), min(1.0, value + high))


def _jackknife(
    cases: Cases, by_name: Mapping[str, Counts], weigh: Callable[[Counts], float], confidence: float
) -> float:
    """Return half the width of the interval that leaving out one conversation at a time gives.

    Weights change with the conversation that is left out, too: how often a command is expected is chance.
    """
    whole = sum(map(weigh, by_name.values()))
    score = sum(weigh(counts) * (counts.f1 or 0.0) for counts in by_name.values())
    means = []
    for case in cases:
        # Only the commands of the conversation that is left out change.
        known, found = whole, score
        for name in case.keys() & by_name.keys():
            counts, rest = by_name[name], by_name[name] - case[name]
            known += weigh(rest) - weigh(counts)
            found += weigh(rest) * (rest.f1 or 0.0) - weigh(counts) * (counts.f1 or 0.0)
        if known > 0:
            means.append(found / known)
    if len(means) < 2:
        return 0.0
    middle = fmean(means)
    error = sqrt((len(means) - 1) / len(means) * sum((one - middle) ** 2 for one in means))
    return t_quantile((1 + confidence) / 2, len(means) - 1) * error


def count_table(cases: Cases, names: Sequence[str]) -> NDArray[np.float64]:
    """Return counts as conversations x commands x (tp, fp, fn)."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    index = {name: column for column, name in enumerate(names)}
    table = np.zeros((len(cases), len(names), 3))
    for row, case in enumerate(cases):
        for name, counts in case.items():
            if name in index:
                table[row, index[name]] += (counts.tp, counts.fp, counts.fn)
    return table
