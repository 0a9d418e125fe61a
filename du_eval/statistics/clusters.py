"""How sure we are of a rate whose attempts come in clusters: the steps and samples of a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from du_eval.statistics.intervals import Interval, Measurement, wilson, wilson_at
from du_eval.statistics.quantiles import normal_quantile, t_quantile

METHOD = "clustered-wilson"
_MADE_UP = 0.25
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


def proportion(successes: int, n: int, confidence: float = 0.95) -> Measurement:
    """Return a rate of independent attempts: each is a cluster of its own."""
    return clustered_proportion([(1, 1)] * successes + [(0, 1)] * (n - successes), confidence)


def clustered_interval(clusters: Clusters, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson interval at the effective sample size: attempts divided by the design effect.

    Few failures cannot show the design effect, so a quarter of a cluster all right and a quarter of one all
    wrong are made up. Student's distribution stands for what is not known about the effect: it is wider the
    fewer clusters have the rarer outcome, and the more a few long ones outweigh the others. Where all
    attempts agree, a cluster counts as a single attempt; up to three attempts are taken as independent.
    """
    known = [(good, attempts) for good, attempts in clusters if attempts]
    n, successes = sum(attempts for _, attempts in known), sum(good for good, _ in known)
    if n <= _TOO_FEW:
        return wilson(successes, n, confidence)
    effective = n * n / sum(attempts * attempts for _, attempts in known)
    telling = min(
        sum(good < attempts for good, attempts in known) if 2 * successes >= n else len(known),
        sum(good > 0 for good, _ in known) if 2 * successes <= n else len(known),
    )
    share, effect = (1 + confidence) / 2, _design_effect(known) if len(known) < n else 1.0
    if not telling:
        effect = min(effect, n / effective)
        return wilson_at(successes / effect, n / effect, normal_quantile(share))
    freedom = max(_FEWEST, round(min(effective - 1, _OPEN + _EACH * telling), 1))
    return wilson_at(successes / effect, n / effect, t_quantile(share, freedom))


def _design_effect(clusters: Clusters) -> float:
    """Return the variance between clusters against that of independent attempts, and never less than it.

    What a cluster differs by is divided by the share that it does not have itself: long clusters pull the
    rate towards their own.
    """
    mean = sum(attempts for _, attempts in clusters) / len(clusters)
    n = mean * (len(clusters) + 2 * _MADE_UP)
    rate = (sum(good for good, _ in clusters) + _MADE_UP * mean) / n
    between = sum((good - rate * attempts) ** 2 / (1 - attempts / n) for good, attempts in clusters)
    between += _MADE_UP * mean**2 * ((1 - rate) ** 2 + rate**2) / (1 - mean / n)
    return max(1.0, between / n / (rate * (1 - rate)))
