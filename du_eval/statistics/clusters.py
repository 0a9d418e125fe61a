"""How sure we are of a rate whose attempts come in clusters: the steps and samples of a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from du_eval.statistics.intervals import Interval, Measurement, wilson, wilson_at
from du_eval.statistics.quantiles import t_quantile

METHOD = "clustered-wilson"
_MADE_UP = 0.1, 0.5, 200
"""How many clusters are made up of each kind: at least, at most, and for each so many clusters one."""
_UNEVEN = 0.8
"""How much longer clusters that fail may be: from 0, like all others, to 1, like the longest."""
_RARE = 0.8
"""The share of the error that goes to the end where nothing, or a single cluster, was seen."""
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


def proportion(successes: int, n: int, confidence: float = 0.95) -> Measurement:
    """Return a rate of independent attempts: each is a cluster of its own."""
    return clustered_proportion([(1, 1)] * successes + [(0, 1)] * (n - successes), confidence)


def clustered_interval(clusters: Clusters, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson interval at the effective sample size: attempts divided by the design effect.

    Few failures cannot show the design effect, so a part of a cluster all right and of one all wrong are
    made up: a tenth, or up to a half where there are many clusters. Student's distribution stands for what is
    not known about it: at the end towards the edge by the number of clusters that the rarer outcome is spread
    over, at the other end by the number of clusters, where long ones count for more. Where all attempts
    agree, a cluster counts as one attempt, or less where lengths differ (those that fail may be the long
    ones), and the interval ends at the rate at which that is just likely enough. Where the rarer outcome is
    spread over k clusters, it goes at least to a k-th of that rate, and where it is in a single one, that may
    have been an accident. Up to three attempts are independent.
    """
    known = [(good, attempts) for good, attempts in clusters if attempts]
    n, successes = sum(attempts for _, attempts in known), sum(good for good, _ in known)
    if n <= _TOO_FEW:
        return wilson(successes, n, confidence)
    if 2 * successes > n:
        mirrored = clustered_interval([(attempts - good, attempts) for good, attempts in known], confidence)
        return mirrored and Interval(1 - mirrored.high, 1 - mirrored.low)
    uneven = max(attempts for _, attempts in known) * len(known) / n
    rarely = _RARE * (1 - confidence)
    unseen = 1 - rarely ** (uneven**_UNEVEN / len(known))
    if not successes:
        return Interval(0.0, unseen)
    share, size = (1 + confidence) / 2, sum(attempts * attempts for _, attempts in known) / n
    spread = _count_spread([good for good, _ in known])
    if 2 * successes == n:
        spread = min(spread, _count_spread([attempts - good for good, attempts in known]))
    effect = _design_effect(known, n, size) if len(known) < n else 1.0
    freedom = max(3.0, min(2 * (n / size - 1), 20 + spread))
    edge = t_quantile(share, round(min(freedom, 3 + 2 * spread), 1))
    low = wilson_at(successes / effect, n / effect, edge)
    if 2 * successes == n:
        return low
    high = wilson_at(successes / effect, n / effect, t_quantile(share, round(freedom, 1)))
    accident = rarely * successes / n if spread == 1 else 1.0
    return Interval(min(low.low, accident), max(high.high, unseen / spread))


def _count_spread(counts: Sequence[int]) -> float:
    """Return how many clusters an outcome is spread over: fewer where most of it is in a few of them."""
    return sum(counts) ** 2 / sum(count * count for count in counts)


def _design_effect(clusters: Clusters, n: int, size: float) -> float:
    """Return the variance between clusters against that of independent attempts, and never less than it.

    `size` is the mean size of clusters as attempts see it: the made-up ones are as long as those that matter.
    What a cluster differs by is divided by the share that it does not have itself: long clusters pull the
    rate towards their own.
    """
    least, most, each = _MADE_UP
    made_up = min(most, max(least, len(clusters) / each))
    total = n + 2 * made_up * size
    rate = (sum(good for good, _ in clusters) + made_up * size) / total
    between = sum((good - rate * attempts) ** 2 / (1 - attempts / total) for good, attempts in clusters)
    between += made_up * size**2 * ((1 - rate) ** 2 + rate**2) / (1 - size / total)
    return max(1.0, between / total / (rate * (1 - rate)))
