"""Differences of means of any numbers, over the same items in two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from du_eval.statistics.intervals import Interval
from du_eval.statistics.quantiles import t_quantile
from du_eval.statistics.significance import Pair, cluster_sign_flip

_NOTHING = 1e-12
_BOUND = 3.84


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """How far two means are apart, and how sure that is."""

    value: float
    n: int
    clusters: int
    p: float
    interval: Interval
    narrow: Interval
    """The interval of the equivalence test: both its one-sided errors are alpha."""
    variance: float
    """The variance of one item, as large as the clusters make it."""
    changed: int
    """How many clusters changed at all."""
    cohens_d: float | None
    """The difference in standard deviations of single differences."""


def mean_difference(pairs: Sequence[Pair], alpha: float = 0.05, seed: int = 0) -> MeanDifference | None:
    """Return the difference of two means, with the cluster as the unit of chance.

    p comes from swapping the runs in whole clusters; the interval is Student's over clusters, with one
    made-up change to the better and one to the worse, so that it has a width also where nothing changed.
    """
    if not pairs:
        return None
    n = len(pairs)
    differences = [pair.difference for pair in pairs]
    value = sum(differences) / n
    sums: dict[int, list[float]] = {}
    for pair in pairs:
        entry = sums.setdefault(pair.cluster, [0.0, 0.0])
        entry[0] += pair.difference
        entry[1] += 1
    count = len(sums)
    between = sum((total - value * size) ** 2 for total, size in sums.values()) * count / max(1, count - 1)
    made_up = _made_up(pairs, differences)
    error = sqrt(between + 2 * made_up * made_up) / n
    single = sum((one - value) ** 2 for one in differences) / max(1, n - 1)
    return MeanDifference(
        value=value,
        n=n,
        clusters=count,
        p=cluster_sign_flip([total for total, _ in sums.values()], seed=seed),
        interval=_around(value, error * t_quantile(1 - alpha / 2, max(1, count - 1))),
        narrow=_around(value, error * t_quantile(1 - alpha, max(1, count - 1))),
        variance=(between + 2 * made_up * made_up) / n,
        changed=sum(abs(total) > _NOTHING for total, _ in sums.values()),
        cohens_d=value / sqrt(single) if single > _NOTHING else None,
    )


def _around(value: float, half: float) -> Interval:
    return Interval(value - half, value + half)


def _made_up(pairs: Sequence[Pair], differences: Sequence[float]) -> float:
    """Return the size of a typical change; where there was none, one between the extremes that were seen."""
    changed = [one * one for one in differences if abs(one) > _NOTHING]
    if changed:
        return sqrt(sum(changed) / len(changed))
    values = [pair.before for pair in pairs]
    return (max(values) - min(values) or abs(values[0]) or 1.0) * sqrt(_BOUND / 2)
