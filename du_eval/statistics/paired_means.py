"""Differences of means of any numbers, over the same items in two runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from du_eval.statistics.difference import Difference, Pair, agree, cluster_sums
from du_eval.statistics.intervals import Interval
from du_eval.statistics.quantiles import t_quantile
from du_eval.statistics.significance import cluster_sign_flip

METHOD = "sign-flip+student"
_NOTHING = 1e-12
_BOUND = 3.84


def mean_difference(pairs: Sequence[Pair], alpha: float = 0.05, seed: int = 0) -> Difference | None:
    """Return the difference of two means, with the cluster as the unit of chance.

    p comes from swapping the runs in whole clusters; the interval is Student's over clusters, with one
    made-up change to the better and one to the worse, so that it has a width also where nothing changed.
    """
    if not pairs:
        return None
    n = len(pairs)
    differences = [pair.difference for pair in pairs]
    value = sum(differences) / n
    sums = cluster_sums(pairs)
    count = len(sums)
    between = sum((total - value * size) ** 2 for total, size in sums.values()) * count / max(1, count - 1)
    made_up = _made_up(pairs, differences)
    error = sqrt(between + 2 * made_up * made_up) / n
    single = sum((one - value) ** 2 for one in differences) / max(1, n - 1)
    p = cluster_sign_flip([total for total, _ in sums.values()], seed=seed)
    wide = _around(value, error * t_quantile(1 - alpha / 2, max(1, count - 1)))
    narrow = _around(value, error * t_quantile(1 - alpha, max(1, count - 1)))
    return Difference(
        value=value,
        n=n,
        clusters=count,
        p=p,
        interval=agree(wide, p, alpha, is_gain=value > 0),
        narrow=agree(narrow, p, 2 * alpha, is_gain=value > 0),
        variance=(between + 2 * made_up * made_up) / n,
        changed=sum(abs(total) > _NOTHING for total, _ in sums.values()),
        method=f"{METHOD}:{1 - alpha:g}",
        effect=value / sqrt(single) if single > _NOTHING else None,
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
