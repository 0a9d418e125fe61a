"""What a rate can be when some items were never judged: from all of them wrong to all of them right."""

from __future__ import annotations

from dataclasses import dataclass

_SEEN = 0.005


@dataclass(frozen=True, slots=True)
class Bounds:
    """The rates that are possible, whatever became of the items that were not judged."""

    low: float
    high: float
    missing: int

    @property
    def matter(self) -> bool:
        """Tell whether a rate of two decimals could be another one."""
        return self.high - self.low >= _SEEN

    def reach(self, least: float) -> bool | None:
        """Tell whether the rate reaches a threshold; None where the missing items could reverse it."""
        if self.low >= least:
            return True
        return False if self.high < least else None

    def __str__(self) -> str:
        return f"{self.low:.2f}–{self.high:.2f} whatever became of {self.missing} not judged"


def bound_rate(successes: float, judged: int, missing: int) -> Bounds | None:
    """Return the bounds of a rate; None where there is no item at all."""
    total = judged + missing
    return Bounds(successes / total, (successes + missing) / total, missing) if total else None
