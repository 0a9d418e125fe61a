"""Quantiles of the normal distribution and of Student's t, exact and without a large library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import exp, floor, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

_LARGE = 1e7
_TINY = 1e-300


def normal_quantile(share: float) -> float:
    """Return the quantile of the normal distribution."""
    return NormalDist().inv_cdf(share)


def normal_share(value: float) -> float:
    """Return the probability that a normally distributed number falls below a value."""
    return NormalDist().cdf(value)


@lru_cache(maxsize=4096)
def t_quantile(share: float, freedom: float) -> float:
    """Return the value below which a t-distributed number falls with the given probability."""
    if not 0 < share < 1:
        raise ValueError(f"a probability lies between 0 and 1, not at {share}")
    if freedom <= 0:
        raise ValueError(f"degrees of freedom are positive, not {freedom}")
    if share < 0.5:
        return -t_quantile(1 - share, freedom)
    if freedom > _LARGE:
        return normal_quantile(share)
    # By the method of Newton: beyond zero the function bends down, so the steps come from below.
    value, front = normal_quantile(share), lgamma((freedom + 1) / 2) - lgamma(freedom / 2)
    for _ in range(200):
        bend = (freedom + 1) / 2 * log1p(value * value / freedom)
        density = exp(front - bend) / sqrt(freedom * pi)
        step = (share - t_share(value, freedom)) / density
        value += step
        if step <= 1e-15 * value:
            break
    return value


def t_share(value: float, freedom: float) -> float:
    """Return the probability that a t-distributed number falls below a value."""
    tail = 0.5 * _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + value * value))
    return 1 - tail if value >= 0 else tail


def poisson_share(count: int, mean: float) -> float:
    """Return the probability of at most so many events where a number is expected."""
    if mean <= 0:
        return 1.0
    is_below = count < mean
    term = exp(count * log(mean) - mean - lgamma(count + 1))
    found, place = (term, count) if is_below else (0.0, count)
    while term > _TINY and (place > 0 or not is_below):
        term, place = (term * place / mean, place - 1) if is_below else (term * mean / (place + 1), place + 1)
        if term <= 1e-17 * found:
            break
        found += term
    return found if is_below else 1 - found


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _continued_fraction(a, b, x)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the fraction by the method of Lentz."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return a percentile by linear interpolation between the sorted values."""
    if not values:
        return None
    ordered = sorted(values)
    position = (len(ordered) - 1) * share / 100
    below = floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def percentiles(values: Iterable[float], shares: Sequence[int] = (50, 90, 99)) -> dict[str, float]:
    """Return several percentiles by name (`p50`), or nothing where there is nothing to measure."""
    known = sorted(values)
    if not known:
        return {}
    return {f"p{share}": value for share in shares if (value := percentile(known, share)) is not None}


def summarise(values: Sequence[float]) -> dict[str, float]:
    """Return percentiles, the largest and the first value, how many there are, and their sum."""
    if not values:
        return {}
    more = {"max": max(values), "first": values[0], "n": float(len(values)), "total": sum(values)}
    return percentiles(values) | more
