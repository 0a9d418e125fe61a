"""Quantiles of Student's t distribution, without a large library."""

from __future__ import annotations

from math import cos, pi, sqrt
from statistics import NormalDist


def normal_quantile(share: float) -> float:
    """Return the quantile of the normal distribution."""
    return NormalDist().inv_cdf(share)


def t_quantile(share: float, degrees: int) -> float:
    """Return the quantile of Student's t distribution: exact for 1 and 2 degrees, else expanded."""
    if degrees < 1:
        raise ValueError("a t distribution has at least one degree of freedom")
    if share < 0.5:
        return -t_quantile(1 - share, degrees)
    tail = 2 * (1 - share)
    if degrees == 1:
        return cos(tail * pi / 2) / sqrt(1 - cos(tail * pi / 2) ** 2) if tail < 1 else 0.0
    if degrees == 2:
        return sqrt(2 / (tail * (2 - tail)) - 2)
    return _expanded(normal_quantile(share), degrees)


def _expanded(z: float, n: int) -> float:
    """Return the Cornish-Fisher expansion of the quantile around the normal one, to the fourth order."""
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    g4 = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + g1 / n + g2 / n**2 + g3 / n**3 + g4 / n**4
