"""Percentiles of measured quantities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor


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
