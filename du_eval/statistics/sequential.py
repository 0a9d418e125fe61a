"""Verdicts while results come in: look after each batch, stop as soon as one is sound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import inf, sqrt
from typing import TYPE_CHECKING

from msgspec import Struct

from du_eval.statistics.difference import Pair, Unseen, cluster_sums, find_unseen, typical_change
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.quantiles import normal_quantile, normal_share
from du_eval.statistics.verdict import Criteria, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_PATHS = 20_000
_NOTHING = 1e-9


class BatchLook(Struct, frozen=True):
    """What is known after a batch."""

    items: int
    verdict: Verdict
    statistic: float = 0.0
    """The change in standard deviations of random swaps."""
    boundary: float = inf
    """How far from zero the statistic must be to decide now."""


class SequentialComparison:
    """Takes pairs batch by batch; looking often does not make errors more likely.

    A group-sequential test: each look may spend a part of alpha, little at first and most at the end (Lan and
    DeMets, with the function of O'Brien and Fleming). A better or worse run is found by swapping the runs in
    whole conversations, where swaps that would have stopped earlier count as stopped. Equivalence is found by
    the interval test at the quantiles of the same plan.
    """

    def __init__(self, criteria: Criteria, looks: int) -> None:
        """Plan so many looks."""
        self._criteria = criteria
        self._looks = looks
        self._taken = 0
        self._pairs: list[Pair] = []
        self._sums: list[float] = []
        self._swaps = _Swaps(self._criteria.seed)

    def add(self, batch: Iterable[Pair]) -> BatchLook:
        """Take in a batch of whole conversations, and say what can be said now."""
        new = list(batch)
        sums = [total for total, _ in cluster_sums(new).values()]
        self._pairs += new
        self._sums += sums
        self._taken += 1
        spent = spend(self._criteria.alpha, self._taken / self._looks) if self._taken <= self._looks else 0.0
        boundary = self._swaps.add(sums, spent)
        spread, total = sqrt(sum(value * value for value in self._sums)) or 1.0, sum(self._sums)
        is_sound = abs(total) >= boundary - _NOTHING and self._find_unseen().p() < 2 * self._level(0.5)
        verdict = self._verdict(total, is_sound=is_sound)
        return BatchLook(len(self._pairs), verdict, total / spread, boundary / spread)

    def _find_unseen(self) -> Unseen:
        typical = typical_change([pair.difference for pair in self._pairs])
        return find_unseen(cluster_sums(self._pairs).values(), typical)

    def _level(self, part: float = 1.0) -> float:
        """Return the one-sided level of this look, if a part of alpha is spent at each side."""
        return plan_levels(part * self._criteria.alpha, self._looks)[self._taken - 1]

    def _verdict(self, total: float, *, is_sound: bool) -> Verdict:
        if is_sound:
            return Verdict.IMPROVED if total > 0 else Verdict.REGRESSED
        margin = self._criteria.margin
        if margin <= 0 or self._taken > self._looks:
            return Verdict.UNDECIDED
        alpha = self._level()
        found = rate_difference(self._pairs, alpha, self._criteria.seed) if alpha > 0 else None
        if found is None:
            return Verdict.UNDECIDED
        is_within = -margin < found.narrow.low and found.narrow.high < margin
        return Verdict.EQUIVALENT if is_within else Verdict.UNDECIDED


class _Swaps:
    """Random swaps of whole conversations, and which of them would have stopped the comparison before."""

    def __init__(self, seed: int) -> None:
        import numpy as np  # noqa: PLC0415 - only comparisons need it

        self._random = np.random.default_rng(seed)
        self._reached = np.zeros(_PATHS)
        self._is_going = np.ones(_PATHS, bool)

    def add(self, sums: Sequence[float], spent: float) -> float:
        """Take in the changes of conversations; return the sum that decides if so much of alpha is spent."""
        import numpy as np  # noqa: PLC0415 - see above

        values = np.asarray([value for value in sums if abs(value) > _NOTHING])
        kept = self._random.integers(0, 2, size=(_PATHS, len(values)), dtype=np.int8).astype(np.float64)
        self._reached += 2 * (kept @ values) - values.sum()
        reached = np.abs(self._reached)
        boundary = find_boundary(reached, self._is_going, spent)
        self._is_going &= reached < boundary - _NOTHING
        return boundary


def spend(alpha: float, share: float) -> float:
    """Return how much of alpha may be spent when a share of the data is there (O'Brien and Fleming)."""
    return 2 * (1 - normal_share(normal_quantile(1 - alpha / 2) / sqrt(share)))


def find_boundary(reached: Floats, is_going: NDArray[np.bool_], spent: float) -> float:
    """Return the least value that paths still going exceed so rarely that no more than planned is spent."""
    import numpy as np  # noqa: PLC0415 - see above

    allowed = int(spent * len(reached)) - int((~is_going).sum())
    if allowed < 1:
        return inf
    going = reached[is_going]
    if allowed >= len(going):
        return 0.0
    top = np.partition(going, -allowed - 1)[-allowed - 1 :]
    above = top[top > top[0] + _NOTHING]
    return float(above.min()) if len(above) else inf


@lru_cache
def plan_boundaries(spent: tuple[float, ...]) -> tuple[float, ...]:
    """Return how many standard deviations a sum must reach at each look, given what may be spent by then."""
    import numpy as np  # noqa: PLC0415 - see above

    random = np.random.default_rng(0)
    reached, is_going = np.zeros(10 * _PATHS), np.ones(10 * _PATHS, bool)
    found = []
    for look, part in enumerate(spent, 1):
        reached += random.standard_normal(len(reached))
        boundary = find_boundary(reached, is_going, part)
        is_going &= reached < boundary - _NOTHING
        found.append(boundary / sqrt(look))
    return tuple(found)


def plan_levels(alpha: float, looks: int) -> tuple[float, ...]:
    """Return the one-sided level of an interval at each look, so that all of them hold together."""
    spent = tuple(spend(2 * alpha, look / looks) / 2 for look in range(1, looks + 1))
    return tuple(1 - normal_share(boundary) for boundary in plan_boundaries(spent))
