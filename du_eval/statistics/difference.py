"""How far two runs are apart over the same items: one value for rates, means and F1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from du_eval.statistics.intervals import Interval

_NEXT_TO_ZERO = 1e-9
_NOTHING = 1e-12


class Pair(Struct, frozen=True):
    """One thing that two runs did: how well each did it, and the cluster that it belongs to."""

    cluster: int
    before: float
    after: float

    @property
    def difference(self) -> float:
        """What the second run did better."""
        return self.after - self.before


class Difference(Struct, frozen=True, omit_defaults=True):
    """How far two figures are apart, and how sure that is."""

    value: float
    n: int
    p: float
    """How likely so large a difference is if neither run is better, two-sided."""
    interval: Interval
    narrow: Interval
    """The interval whose ends are one-sided bounds at alpha."""
    clusters: int
    changed: int
    """How many clusters changed at all."""
    method: str = ""
    """How interval and p came about."""
    is_rate: bool = False
    """Whether single items change by at most one, so that no change in many rules out more than a few."""
    better: float = 0.0
    """The sum of what went better; with one sample a step: how many steps went from wrong to right."""
    worse: float = 0.0
    design_effect: float = 1.0
    """By how much clusters widen the variance of a rate, against single changes by one."""
    variance: float = 0.0
    """The variance of one item, as large as the clusters make it."""
    effect: float | None = None
    """Cohen's g of a rate: how far the split of the changes is from one half; Cohen's d of a mean."""


def cluster_sums(pairs: Iterable[Pair]) -> dict[int, tuple[float, int]]:
    """Return the sum of the differences and the number of items of each cluster."""
    found: dict[int, tuple[float, int]] = {}
    for pair in pairs:
        total, count = found.get(pair.cluster, (0.0, 0))
        found[pair.cluster] = (total + pair.difference, count + 1)
    return found


def typical_change(differences: Sequence[float]) -> float:
    """Return the root mean square of those items that changed; 0 where none did."""
    squares = [one * one for one in differences if abs(one) > _NOTHING]
    return sqrt(sum(squares) / len(squares)) if squares else 0.0


def agree(interval: Interval, p: float, alpha: float, *, is_gain: bool) -> Interval:
    """Return an interval that holds zero exactly where a test at alpha does not reject it.

    The test is exact at zero, where intervals of few changes are not.
    """
    if p >= alpha:
        return Interval(min(0.0, interval.low), max(0.0, interval.high))
    if is_gain:
        return Interval(max(_NEXT_TO_ZERO, interval.low), max(_NEXT_TO_ZERO, interval.high))
    return Interval(min(-_NEXT_TO_ZERO, interval.low), min(-_NEXT_TO_ZERO, interval.high))


def correct(found: Difference, p: float, alpha: float) -> Difference:
    """Return a difference that is one of several: its intervals hold zero unless the corrected p is small."""
    is_gain = found.value > 0
    return replace(
        found,
        interval=agree(found.interval, p, alpha, is_gain=is_gain),
        narrow=agree(found.narrow, p, 2 * alpha, is_gain=is_gain),
    )
