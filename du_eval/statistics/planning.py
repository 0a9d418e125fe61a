"""How much more data a comparison would need to decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log2

from du_eval.statistics.quantiles import normal_quantile
from du_eval.statistics.significance import Difference
from du_eval.statistics.significance_mean import MeanDifference

_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which verdict shall be possible: a difference told from zero, or from the margin."""

    margin: float
    alpha: float = 0.05
    power: float = 0.8


def items_needed(found: Difference, wanted: Wanted) -> int | None:
    """Return about how many items in all would decide, if the rates stay as they were found.

    The smaller of two numbers: enough to tell the difference from zero, or enough to tell that it lies within
    the margin. None where nothing changed and no margin is asked for.
    """
    if not found.better and not found.worse:
        return _unchanged(found, wanted)
    changed = (found.better + found.worse + 2) / (found.n + 2)
    variance = max(changed - found.value**2, 1e-9) * found.design_effect
    return _least(found.n, [*_enough(found, variance, wanted)])


def means_needed(found: MeanDifference, wanted: Wanted) -> int | None:
    """Return the same for means of other numbers."""
    return _least(found.n, [*_enough(found, found.variance, wanted)])


def _least(n: int, candidates: list[float]) -> int | None:
    return max(n + 1, ceil(min(candidates))) if candidates else None


def _enough(found: Difference | MeanDifference, variance: float, wanted: Wanted) -> Iterator[float]:
    value = abs(found.value)
    if value > _NOTHING and found.changed:
        reach = normal_quantile(1 - wanted.alpha / 2) + normal_quantile(wanted.power)
        # However large the difference is, so many clusters must change before swaps of them can be rare.
        clusters = (1 + log2(1 / wanted.alpha)) / found.changed * found.clusters
        yield max(reach**2 * variance / value**2, clusters * found.n / found.clusters)
    if wanted.margin - value > _NOTHING:
        reach = normal_quantile(1 - wanted.alpha) + normal_quantile((1 + wanted.power) / 2)
        yield reach**2 * variance / (wanted.margin - value) ** 2


def _unchanged(found: Difference, wanted: Wanted) -> int | None:
    """Return how many items without a change prove that there are hardly any."""
    if wanted.margin <= 0:
        return None
    squared = normal_quantile(1 - wanted.alpha) ** 2
    return max(found.n + 1, ceil(squared * (1 / wanted.margin - 1) * found.design_effect))


@dataclass(frozen=True, slots=True)
class Repeated:
    """One item that both runs did several times: the shares of right answers, and of how many."""

    before: float
    after: float
    times: tuple[int, int]


def samples_needed(items: Sequence[Repeated], needed: int | None) -> int | None:
    """Return how often each item must be done to tell as much as so many items would.

    Repeating takes away the chance within an item, and not the one of which items there are: None where it
    cannot be enough, or where items were done once and nobody knows how much their answers vary.
    """
    if needed is None or len(items) < 2 or any(min(item.times) < 2 for item in items):
        return None
    n = len(items)
    differences = [item.after - item.before for item in items]
    mean = sum(differences) / n
    total = sum((one - mean) ** 2 for one in differences) / (n - 1)
    within = sum(_chance(one.before, one.times[0]) + _chance(one.after, one.times[1]) for one in items) / n
    left = total * n / needed - max(0.0, total - within)
    if within <= _NOTHING or left <= _NOTHING:
        return None
    often = sum(sum(item.times) for item in items) / (2 * n)
    return ceil(often * within / left)


def _chance(share: float, times: int) -> float:
    """Return the variance of a share of right answers that is due to chance."""
    return share * (1 - share) / (times - 1)
