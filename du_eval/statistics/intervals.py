"""How sure we are of a rate: confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist


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
    if n <= 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
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
    the variance between clusters to the variance that independent attempts would have (never below 1).
    """
    n = sum(attempts for _, attempts in clusters)
    successes = sum(good for good, _ in clusters)
    if not n:
        return Measurement(None, 0, None, f"clustered-wilson:{confidence:g}")
    effective = n / _design_effect(clusters, successes / n, n)
    interval = wilson(successes / n * effective, effective, confidence)
    return Measurement(successes / n, n, interval, f"clustered-wilson:{confidence:g}")


def _design_effect(clusters: Sequence[tuple[int, int]], rate: float, n: int) -> float:
    count = sum(1 for _, attempts in clusters if attempts)
    independent = rate * (1 - rate) / n
    if count < 2 or independent == 0:
        return 1.0
    between = sum((good - rate * attempts) ** 2 for good, attempts in clusters)
    between *= count / (count - 1) / n**2
    return max(1.0, between / independent)
