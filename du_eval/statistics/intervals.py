"""How sure we are of a rate whose attempts are independent: the Wilson score interval."""

from __future__ import annotations

from math import sqrt

from msgspec import Struct

from du_eval.statistics.quantiles import normal_quantile

_SEEN = 0.005


class Bounds(Struct, frozen=True):
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


class Interval(Struct, frozen=True, omit_defaults=True):
    """A confidence interval."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.2f}–{self.high:.2f}"

    @property
    def width(self) -> float:
        """How far its ends are apart."""
        return self.high - self.low


class Measurement(Struct, frozen=True, omit_defaults=True):
    """A number with everything needed to trust it; undefined is None."""

    value: float | None
    n: int
    interval: Interval | None = None
    signature: str = ""
    """How the number was computed."""
    method: str = ""
    """How the interval was computed, and how sure it is."""
    missing: int = 0
    """How many items of a rate were not judged: they errored, were left open, or were not asked."""
    possible: Interval | None = None
    """Where the number lies, whatever became of these items; None: as for a rate of all of them."""

    @property
    def bounds(self) -> Bounds | None:
        """What the number can be, whatever became of the items that were not judged; None without any."""
        if not self.missing:
            return None
        if self.possible is not None:
            return Bounds(self.possible.low, self.possible.high, self.missing)
        return bound_rate((self.value or 0.0) * self.n, self.n, self.missing)


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson score interval of a proportion."""
    return wilson_at(successes, n, normal_quantile((1 + confidence) / 2)) if n > 0 else None


def wilson_at(successes: float, n: float, quantile: float) -> Interval:
    """Return the rates that a score test does not reject; numbers may be fractions, at an effective size."""
    rate, squared = successes / n, quantile * quantile
    centre = (rate + squared / (2 * n)) / (1 + squared / n)
    spread = max(0.0, rate * (1 - rate)) / n + squared / (4 * n * n)
    half = quantile * sqrt(spread) / (1 + squared / n)
    low = 0.0 if successes <= 0 else max(0.0, centre - half)
    high = 1.0 if successes >= n else min(1.0, centre + half)
    return Interval(low, high)
