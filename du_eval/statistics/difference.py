"""How far two runs are apart over the same items: one value for rates, means and F1."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import ceil, sqrt

from msgspec import Struct
from msgspec.structs import replace

from du_eval.statistics.intervals import Interval
from du_eval.statistics.quantiles import normal_quantile, poisson_share

_PART = 0.45
"""The part of its items that a cluster against a change loses where none was seen."""
_UNEVEN = 5.0
"""How many times the mean size makes a cluster far larger than most."""
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


class Unseen(Struct, frozen=True, omit_defaults=True):
    """What clusters gained with a change and lost against it, in changes of a typical item.

    Where many clusters win a little and a few lose all they have, a run that happens to have none of the few
    looks better, and swaps of what was seen cannot tell. If both sides are even, the clusters against the
    change lose as much as the others win, so their expected number follows from what each of them loses: the
    mean of those seen, and of one more that loses a good part of its items. Clusters of single items have
    nothing to hide.
    """

    gained: float = 0.0
    lost: float = 0.0
    against: float = 0.0
    """How many clusters lost something."""
    size: float = 1.0
    """How many items a cluster has that loses a good part of them."""

    def p(self, times: float = 1.0, power: float = 0.5) -> float:
        """Return the two-sided p of seeing so few clusters against a change that is none on average.

        For planning: with so many times as many clusters, and with luck so bad that p is lower with a chance
        of `power`.
        """
        if self.size <= 1:
            return 0.0
        gained, against = times * self.gained, times * self.against
        each = (times * self.lost + max(1.0, _PART * self.size)) / (against + 1)
        luck = normal_quantile(power) / sqrt(gained / each**2 + against or 1.0)
        gained, against = gained * max(0.0, 1 - luck / each), against * (1 + luck)
        return min(1.0, 2 * poisson_share(ceil(against - _NOTHING) + 1, gained / each))


_NOTHING_UNSEEN = Unseen()


def find_unseen(clusters: Collection[tuple[float, float]], typical: float = 1.0) -> Unseen:
    """Return what speaks for and against the change of clusters: (sum of differences, number of items)."""
    if typical <= _NOTHING or not any(total for total, _ in clusters):
        return _NOTHING_UNSEEN
    sign = 1 if sum(total for total, _ in clusters) > 0 else -1
    changes = [sign * total / typical for total, _ in clusters]
    against = [-change for change in changes if change < -_NOTHING]
    size = _find_size([size for _, size in clusters])
    return Unseen(sum(change for change in changes if change > 0), sum(against), len(against), size)


def _find_size(sizes: Sequence[float]) -> float:
    """Return how many items the cluster of an item has on average; more where a few are far larger than most.

    It may be just those few that are lost. Their size is the mean weighted by the cube of the size, less half
    the plain mean, so that sizes that hardly differ count as they are.
    """
    count, items, squares, cubes, fourths = (sum(size**power for size in sizes) for power in range(5))
    return max(squares / items, fourths / cubes - items / count / 2)


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
    unseen: Unseen = _NOTHING_UNSEEN
    """What p is bounded by, beside swaps."""

    @property
    def is_uneven(self) -> bool:
        """Tell whether a few clusters are so much larger than most that their loss may stay unseen."""
        return self.unseen.size * self.clusters > _UNEVEN * self.n


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
