"""How sure we are of F1: intervals by command, and of the averages over commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING

from du_eval.statistics.clusters import clustered_interval
from du_eval.statistics.counts import Counts, pooled, summed
from du_eval.statistics.intervals import Interval
from du_eval.statistics.quantiles import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

METHOD = "clustered-jaccard"
MACRO, MICRO, WEIGHTED = "macro", "micro", "weighted"

Cases = Sequence[Mapping[str, Counts]]
"""The counts of each conversation, by command."""


@dataclass(frozen=True, slots=True)
class F1Intervals:
    """The intervals of single commands, and of their averages: a command may be called like an average."""

    commands: Mapping[str, Interval] = field(default_factory=dict)
    averages: Mapping[str, Interval] = field(default_factory=dict)


def f1_intervals(cases: Cases, confidence: float = 0.95) -> F1Intervals:
    """Return the intervals of F1 by command, and of macro, micro and weighted F1.

    F1 is a function of the Jaccard share J = tp / (tp + fp + fn), F1 = 2J / (1 + J), so the interval of J
    over conversations gives that of F1. An average over commands is as sure as independent commands make it,
    or as leaving out one conversation at a time does, whichever is wider.
    """
    by_name = pooled(cases)
    names = sorted(name for name, counts in by_name.items() if counts.f1 is not None)
    if not names:
        return F1Intervals()
    commands = {name: _of_shares([case.get(name, Counts()) for case in cases], confidence) for name in names}
    micro = _of_shares([summed(case.values()) for case in cases], confidence)
    bounds = [commands[name] for name in names]
    table = count_table(cases, names)
    found = {MACRO: _average(table, bounds, [1.0] * len(names), confidence), MICRO: micro}
    weights = [float(by_name[name].total) for name in names]
    if sum(weights):
        found[WEIGHTED] = _average(table, bounds, weights, confidence)
    return F1Intervals(commands, found)


def _of_shares(counts: Sequence[Counts], confidence: float) -> Interval:
    shares = [(one.tp, one.tp + one.fp + one.fn) for one in counts]
    found = clustered_interval(shares, confidence)
    assert found is not None, "only commands that occur have an interval"
    return Interval(convert_jaccard(found.low), convert_jaccard(found.high))


def convert_jaccard(share: float) -> float:
    """Return the F1 of a Jaccard share."""
    return 2 * share / (1 + share)


def _average(
    table: NDArray[np.float64], bounds: Sequence[Interval], weights: Sequence[float], confidence: float
) -> Interval:
    """Return the interval of a weighted mean of F1 scores."""
    scores = _scores(table.sum(axis=0)[None])[0].tolist()
    total = sum(weights)
    value = sum(weight * score for weight, score in zip(weights, scores, strict=True)) / total
    together = _jackknife(table, weights, confidence)
    low, high = (
        max(
            together,
            sqrt(sum((w * (one - f1)) ** 2 for w, one, f1 in zip(weights, ends, scores, strict=True)))
            / total,
        )
        for ends in ([one.low for one in bounds], [one.high for one in bounds])
    )
    return Interval(max(0.0, value - low), min(1.0, value + high))


def _jackknife(table: NDArray[np.float64], weights: Sequence[float], confidence: float) -> float:
    """Return half the width of the interval that leaving out one conversation at a time gives."""
    import numpy as np  # noqa: PLC0415 - only runs that report need it

    count = len(table)
    if count < 2:
        return 0.0
    scores = _scores(table.sum(axis=0) - table)
    known = np.where(np.isnan(scores), 0.0, np.asarray(weights))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (np.nan_to_num(scores) * known).sum(axis=1) / known.sum(axis=1)
    means = means[~np.isnan(means)]
    if len(means) < 2:
        return 0.0
    error = sqrt((len(means) - 1) * float(means.var()))
    return t_quantile((1 + confidence) / 2, len(means) - 1) * error


def count_table(cases: Cases, names: Sequence[str]) -> NDArray[np.float64]:
    """Return counts as conversations x commands x (tp, fp, fn)."""
    import numpy as np  # noqa: PLC0415 - see above

    index = {name: column for column, name in enumerate(names)}
    table = np.zeros((len(cases), len(names), 3))
    for row, case in enumerate(cases):
        for name, counts in case.items():
            if name in index:
                table[row, index[name]] += (counts.tp, counts.fp, counts.fn)
    return table


def _scores(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415 - see above

    tp, fp, fn = counts[..., 0], counts[..., 1], counts[..., 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        found: NDArray[np.float64] = 2 * tp / (2 * tp + fp + fn)
    return found
