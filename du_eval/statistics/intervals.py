"""How sure we are of a rate: confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from du_eval.statistics.quantiles import normal_quantile, t_quantile

_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.2f}–{self.high:.2f}"


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number with everything needed to trust it; undefined is None."""

    value: float | None
    n: int
    interval: Interval | None = None
    signature: str = ""


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson score interval of a proportion."""
    return _score(successes, n, normal_quantile((1 + confidence) / 2)) if n > 0 else None


def _score(successes: float, n: float, z: float) -> Interval:
    rate = successes / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low = 0.0 if successes <= 0 else max(0.0, centre - half)
    high = 1.0 if successes >= n else min(1.0, centre + half)
    return Interval(low, high)


def proportion(successes: int, n: int, confidence: float = 0.95) -> Measurement:
    """Return a rate with its Wilson interval."""
    value = successes / n if n else None
    return Measurement(value, n, wilson(successes, n, confidence), f"wilson:{confidence:g}")


def clustered_proportion(clusters: Sequence[tuple[int, int]], confidence: float = 0.95) -> Measurement:
    """Return a rate over clusters of (successes, attempts), with an interval that knows about the clusters.

    The Wilson interval is taken at the effective sample size: n divided by the design effect, the ratio of
    the variance between clusters to the variance that independent attempts would have (never below 1). Where
    clusters differ more than chance, their number decides about the quantile: Student's t with one degree
    less than there are clusters. Simulated coverage is 93 to 97.5 %, except for rates near 0 or 1 in strongly
    correlated clusters, where it is lower.
    """
    known = [(good, attempts) for good, attempts in clusters if attempts]
    signature = f"clustered-wilson:{confidence:g}"
    n, successes = sum(attempts for _, attempts in known), sum(good for good, _ in known)
    if not n:
        return Measurement(None, 0, None, signature)
    share, effect = (1 + confidence) / 2, _design_effect(known, successes / n, n)
    is_spread = effect > len(known) / max(1, len(known) - 1) + _NOTHING  # single attempts have exactly this
    quantile = t_quantile(share, len(known) - 1) if is_spread else normal_quantile(share)
    return Measurement(successes / n, n, _score(successes / effect, n / effect, quantile), signature)


def _design_effect(clusters: Sequence[tuple[int, int]], rate: float, n: int) -> float:
    independent = rate * (1 - rate) / n
    if len(clusters) < 2 or independent == 0:
        return 1.0
    between = sum((good - rate * attempts) ** 2 for good, attempts in clusters)
    return max(1.0, between * len(clusters) / (len(clusters) - 1) / n**2 / independent)
