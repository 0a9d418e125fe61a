"""How sure we are of a rate whose attempts come in clusters: the steps and samples of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from du_eval.statistics.intervals import Interval, Measurement, wilson, wilson_at
from du_eval.statistics.quantiles import normal_quantile, t_quantile

METHOD = "clustered-wilson"
_HALF = 0.5
"""How many made-up clusters are all right, and how many all wrong."""
_FEWEST, _OPEN, _EACH = 4, 8, 2
"""The degrees of freedom: at least so many; so many, and so many more for each cluster that tells."""
_TOO_FEW = 3

Clusters = Sequence[tuple[int, int]]
"""Successes and attempts of each cluster."""


def clustered_proportion(clusters: Clusters, confidence: float = 0.95) -> Measurement:
    """Return a rate over clusters, with an interval that holds however alike attempts of a cluster are."""
    n, successes = sum(attempts for _, attempts in clusters), sum(good for good, _ in clusters)
    return Measurement(
        value=successes / n if n else None,
        n=n,
        interval=clustered_interval(clusters, confidence),
        method=f"{METHOD}:{confidence:g}",
    )


def clustered_interval(clusters: Clusters, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson interval at the effective sample size: attempts divided by the design effect.

    The design effect is the variance between clusters against that of independent attempts. Few failures
    cannot show it, so half a cluster all right and half a cluster all wrong are made up; they are as large as
    those that were seen to fail, and as a whole cluster where none was. Student's distribution stands for
    what is not known about the effect: the fewer clusters tell, the wider. Where each cluster is a single
    attempt, and for up to three attempts, it is the plain Wilson interval.
    """
    known = [(good, attempts) for good, attempts in clusters if attempts]
    n, successes = sum(attempts for _, attempts in known), sum(good for good, _ in known)
    if n <= _TOO_FEW or len(known) == n:
        return wilson(successes, n, confidence)
    rare = _rarer(known, successes, n)
    effect = _design_effect(known, rare.size)
    share = (1 + confidence) / 2
    freedom = max(_FEWEST, min(len(known) - 1, _OPEN + _EACH * rare.clusters))
    quantile = t_quantile(share, freedom) if rare.clusters else normal_quantile(share)
    return wilson_at(successes / effect, n / effect, quantile)


@dataclass(frozen=True, slots=True)
class _Rare:
    """The rarer outcome: how many clusters have it, and how often such a cluster does."""

    clusters: int
    size: float


def _rarer(clusters: Clusters, successes: int, n: int) -> _Rare:
    mean = n / len(clusters)
    wrong = _occurring([attempts - good for good, attempts in clusters], mean)
    right = _occurring([good for good, _ in clusters], mean)
    if 2 * successes == n:
        return _Rare(min(wrong.clusters, right.clusters), max(wrong.size, right.size))
    return wrong if 2 * successes > n else right


def _occurring(counts: Sequence[int], mean: float) -> _Rare:
    """Return the root mean square of counts above zero, with one whole cluster among them."""
    held = sum(count > 0 for count in counts)
    squares = mean * mean + sum(count * count for count in counts)
    return _Rare(held, sqrt(squares / (1 + held)))


def _design_effect(clusters: Clusters, size: float) -> float:
    """Return the design effect with made-up clusters of a size; never below that of independent attempts."""
    n = sum(attempts for _, attempts in clusters) + 2 * _HALF * size
    rate = (sum(good for good, _ in clusters) + _HALF * size) / n
    between = sum((good - rate * attempts) ** 2 for good, attempts in clusters)
    between += _HALF * size * size * ((1 - rate) ** 2 + rate**2)
    count = len(clusters) + 2 * _HALF
    return max(1.0, between * count / (count - 1) / n / (rate * (1 - rate)))
