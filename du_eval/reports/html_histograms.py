"""Distributions for the HTML page: counts in bins."""

from __future__ import annotations

from collections.abc import Iterable
from math import log10
from typing import Any

from du_eval.statistics.percentiles import percentiles

_BINS = 24


def histogram(values: Iterable[float]) -> dict[str, Any]:
    """Return counts in bins of equal width, or of equal ratio where the values spread very far."""
    known = sorted(values)
    if not known:
        return {"bins": [], "low": 0, "high": 0, "percentiles": {}}
    low, high = known[0], known[-1]
    is_wide = low > 0 and high / low > 100
    start, end = (log10(low), log10(high)) if is_wide else (low, high)
    places = (log10(value) for value in known) if is_wide else known
    found = {"bins": _counts(places, start, end), "low": low, "high": high}
    return found | {"percentiles": percentiles(known), "is_wide": is_wide, "n": len(known)}


def scores_histogram(values: Iterable[float]) -> dict[str, Any]:
    """Return counts of scores in bins from 0 to 1, or further where some score goes further."""
    known = list(values)
    low, high = min([0.0, *known]), max([1.0, *known])
    return {"bins": _counts(known, low, high), "low": low, "high": high, "n": len(known)}


def _counts(values: Iterable[float], low: float, high: float) -> list[int]:
    width = (high - low) / _BINS or 1.0
    bins = [0] * _BINS
    for value in values:
        bins[min(_BINS - 1, int((value - low) / width))] += 1
    return bins


def rounded(value: Any) -> Any:
    """Return a number with three digits that count; anything else as it is."""
    return float(f"{value:.3g}") if isinstance(value, float) else value
