"""What a number can be when some items were never judged: from all of them wrong to all of them right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from du_eval.statistics.counts import Counts

_SEEN = 0.005


@dataclass(frozen=True, slots=True)
class Bounds:
    """The values that are possible, whatever became of the items that were not judged."""

    low: float
    high: float
    missing: int

    @property
    def matter(self) -> bool:
        """Tell whether a number of two decimals could be another one."""
        return self.high - self.low >= _SEEN

    def reach(self, least: float) -> bool | None:
        """Tell whether the value is at least so high; None where the missing items could reverse it."""
        return None if self.low < least <= self.high else self.low >= least

    def stay_within(self, most: float) -> bool | None:
        """Tell whether the value is at most so high; None where the missing items could reverse it."""
        return None if self.low <= most < self.high else self.high <= most

    def __str__(self) -> str:
        return f"{self.low:.2f}–{self.high:.2f} with {self.missing} not judged"


def bound_rate(successes: float, judged: int, missing: int) -> Bounds | None:
    """Return the bounds of a rate; None where there is no item at all."""
    total = judged + missing
    return Bounds(successes / total, (successes + missing) / total, missing) if total else None


def bound_counts(
    by_name: Mapping[str, Counts], lost: Mapping[str, int]
) -> tuple[dict[str, Counts], dict[str, Counts]]:
    """Return hits and misses with all lost expectations wrong, and with all of them right.

    A wrong one is missing, and one of the same name with other arguments stands in its place.
    """
    worst, best = dict(by_name), dict(by_name)
    for name, count in lost.items():
        found = by_name.get(name, Counts())
        worst[name] = found + Counts(fp=count, fn=count, total=count)
        best[name] = found + Counts(tp=count, total=count)
    return worst, best
