"""Distributions: how often values fall into bins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import log10

from du_eval.reports.numbers import show_number
from du_eval.reports.sections import Bars
from du_eval.statistics.percentiles import percentiles

_BINS = 20


def make_histogram(
    title: str, values: Iterable[float], unit: str = "", show: Callable[[float], str] = show_number
) -> Iterator[Bars]:
    """Yield counts in bins of equal width, or of equal ratio where values spread far; none of nothing."""
    known = sorted(values)
    if not known:
        return
    low, high = known[0], known[-1]
    is_wide = low > 0 and high / low > 100
    start, end = (log10(low), log10(high)) if is_wide else (low, high)
    bins = 1 if low == high else _BINS
    width = (end - start) / bins or 1.0
    counts = [0] * bins
    for value in known:
        place = log10(value) if is_wide else value
        counts[min(bins - 1, int((place - start) / width))] += 1
    edges = [10 ** (start + width * at) if is_wide else start + width * at for at in range(bins)]
    remark = " · ".join(f"{name} {show(value)}" for name, value in percentiles(known).items())
    yield Bars(title, tuple(map(show, edges)), tuple(counts), unit, remark)
