"""How much more data a comparison would need to decide."""

from __future__ import annotations

from collections.abc import Iterator
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
