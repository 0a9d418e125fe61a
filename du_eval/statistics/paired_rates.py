"""Differences of rates over the same items in two runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

from du_eval.statistics.difference import Difference, Pair, agree, cluster_sums, typical_change
from du_eval.statistics.intervals import Interval
from du_eval.statistics.quantiles import t_quantile
from du_eval.statistics.significance import find_p

_STEPS = 60


def score_interval(better: float, worse: float, n: float, quantile: float) -> Interval:
    """Return the differences that a score test does not reject, found by halving.

    `better` and `worse` of `n` items changed. They may be fractions: numbers at an effective sample size.
    """
    if n <= 0:
        return Interval(-1.0, 1.0)
    found = (better - worse) / n

    def statistic(difference: float) -> float:
        return _statistic(difference, better, worse, n)

    low = _crossing(lambda value: statistic(value) < quantile, -1.0, found)
    high = _crossing(lambda value: statistic(value) <= -quantile, found, 1.0)
    return Interval(low, high)


def _statistic(difference: float, better: float, worse: float, n: float) -> float:
    """Return how far the counts are from a true difference, by the variance that it would have at most."""
    linear = -better - worse + (2 * n - better + worse) * difference
    constant = -worse * difference * (1 - difference)
    root = sqrt(max(0.0, linear * linear - 8 * n * constant))
    share = (root - linear) / (4 * n)
    variance = n * (2 * share + difference * (1 - difference))
    distance = better - worse - n * difference
    if variance <= _NOTHING:
        return 0.0 if abs(distance) <= _NOTHING else distance * float("inf")
    return distance / sqrt(variance)


def _crossing(is_beyond: Callable[[float], bool], low: float, high: float) -> float:
    """Return where a condition that holds at the upper end begins to hold."""
    if is_beyond(low):
        return low
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if is_beyond(middle):
            high = middle
        else:
            low = middle
    return high


def design_effect(clusters: Sequence[tuple[float, float]], differences: Sequence[float]) -> float:
    """Return by how much clusters widen the variance of a mean difference, against single changes by one.

    Clusters are given as (sum of differences, number of items). Never below what items that are independent
    have: one where each item changes by one, less where items change by shares; and never nothing, where all
    items change alike: then one typical change is what chance might have added.
    """
    n, count = len(differences), len(clusters)
    mean = sum(differences) / n
    single = sum(map(abs, differences)) - n * mean * mean
    if single <= _NOTHING:
        return n / count  # nothing changed, or everything alike: each cluster tells one thing
    independent = max(typical_change(differences) ** 2, sum((value - mean) ** 2 for value in differences))
    if count < 2:
        return max(1.0, independent / single)
    between = sum((total - mean * size) ** 2 for total, size in clusters) * count / (count - 1)
    return max(independent, between) / single


METHOD = "sign-flip+tango"
_NOTHING = 1e-12


def rate_difference(pairs: Sequence[Pair], alpha: float = 0.05, seed: int = 0) -> Difference | None:
    """Return the difference of two rates over the same items, with the cluster as the unit of chance."""
    if not pairs:
        return None
    n = len(pairs)
    better = sum(max(0.0, pair.difference) for pair in pairs)
    worse = sum(max(0.0, -pair.difference) for pair in pairs)
    sums = cluster_sums(pairs)
    effect = design_effect(list(sums.values()), [pair.difference for pair in pairs])
    changes = better, worse, n
    share, value = (better + worse + 2) / (n + 2), (better - worse) / n
    p, unseen = find_p(pairs, seed)
    wide = rate_interval(changes, effect, 1 - alpha / 2, len(sums))
    narrow = rate_interval(changes, effect, 1 - alpha, len(sums))
    return Difference(
        value=value,
        n=n,
        p=p,
        interval=agree(wide, p, alpha, is_gain=value > 0),
        narrow=agree(narrow, p, 2 * alpha, is_gain=value > 0),
        clusters=len(sums),
        changed=sum(abs(total) > _NOTHING for total, _ in sums.values()),
        method=f"{METHOD}:{1 - alpha:g}",
        is_rate=True,
        better=better,
        worse=worse,
        design_effect=effect,
        variance=max(share - value**2, 1e-9) * effect,
        effect=better / (better + worse) - 0.5 if better + worse > _NOTHING else None,
        unseen=unseen,
    )


def rate_interval(
    changes: tuple[float, float, float], effect: float, share: float, clusters: int
) -> Interval:
    """Return the interval at the effective sample size, which the clusters make smaller."""
    better, worse, n = changes
    quantile = t_quantile(share, max(1, clusters - 1))
    return score_interval(better / effect, worse / effect, n / effect, quantile)
