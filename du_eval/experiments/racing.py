"""A race: arms that are soundly worse than the leader are dropped on the way, the best one hardly ever.

Who an arm is compared with in a conversation is settled before it: the other arm that leads by then. So the
luck that makes a rival the leader does not count, and each arm faces a single test, however many rivals it
has: the sum of its rivals' leads, in standard deviations, against boundaries that hold for all looks.
The first looks spend nothing of alpha, since few conversations tell little, nor do the last ones, since
dropping an arm late saves little. So the arm that is truly best is dropped in the whole race with a chance of
about alpha, however many arms and looks there are.

A rival that fails in whole conversations, and has been lucky so far, seems to lead by many standard
deviations, since its failures, which would widen them, are still to come. Two things guard against that:
leads are corrected for the skewness of all rivals together, and with few arms less of alpha is spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from msgspec import Struct, field

from du_eval.statistics.sequential import plan_boundaries

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LOOKS = 20
_NOTHING = 1e-9
_SPENT_FROM, _SPENT_UNTIL, _SPENT_EARLY = 0.2, 0.8, 0.7
"""Between which shares of the looks alpha is spent; a power below 1 spends more of it early."""
_SKEWER = 1.5
"""How much more skewed leads are than they seem: rare and large losses are mostly still to come."""


class Drop(Struct, frozen=True):
    """An arm that leaves the race, and the one that leads it by most."""

    arm: int
    winner: int


class Racing(Struct, dict=True):
    """The state of a race between numbered arms."""

    arms: int
    looks: int
    alpha: float = 0.05
    left: list[int] = field(default_factory=list)
    """The arms that are still asked."""
    _taken: int = 0
    _conversations: int = 0

    def __post_init__(self) -> None:
        import numpy as np  # noqa: PLC0415 - only races need it

        self.left = list(range(self.arms))
        self._sums = np.zeros((self.arms, self.arms))
        """By how much each arm (row) is behind each other one."""
        self._leads = np.zeros((2, self.arms))
        """The leads of those who led before each conversation, and their squares."""
        self._moments = np.zeros((3, self.arms))
        """The mean lead of all rivals, its square and cube."""
        self._boundaries = plan_boundaries(tuple(map(self._spend, range(1, self.looks + 1))))

    def _spend(self, look: int) -> float:
        """Return how much of alpha is spent after so many looks."""
        part = (look / self.looks - _SPENT_FROM) / (_SPENT_UNTIL - _SPENT_FROM)
        most = self.alpha * (1 - 1 / max(2, self.arms**2 - 1))
        return float(most * min(1.0, max(0.0, part)) ** _SPENT_EARLY)

    def look(self, conversations: Sequence[Floats]) -> list[Drop]:
        """Take in a batch, and return who leaves.

        A conversation is a table of steps by arms with the share of right answers; NaN where nobody judged.
        """
        self._taken += 1
        self._add([one for one in conversations if len(one)])
        gone = self._find_worse()
        if len(gone) == len(self.left):
            return []
        drops = [Drop(arm, max(self.left, key=lambda one: self._sums[arm, one])) for arm in gone]
        self.left = [arm for arm in self.left if arm not in gone]
        return drops

    def _add(self, conversations: Sequence[Floats]) -> None:
        """Sum up by how much each arm is behind the one that led before, and behind all others."""
        import numpy as np  # noqa: PLC0415 - see above

        if not conversations or len(self.left) < 2:
            return
        steps = np.concatenate(conversations)
        starts = np.cumsum([0, *map(len, conversations[:-1])])
        pairs = np.add.reduceat(np.nan_to_num(steps[:, None, :] - steps[:, :, None]), starts)
        known = self._sums + np.cumsum(pairs, axis=0) - pairs
        leads = (self._weigh_rivals(known) * pairs).sum(axis=2)
        others, rivals = pairs[:, :, self.left], len(self.left) - 1
        self._leads += leads.sum(axis=0), (leads**2).sum(axis=0)
        self._moments += [(others**power).sum(axis=(0, 2)) / rivals for power in (1, 2, 3)]
        self._sums += pairs.sum(axis=0)
        self._conversations += len(pairs)

    def _weigh_rivals(self, known: Floats) -> Floats:
        """Return who the rival of each arm is in each conversation: the other that leads, or all that tie."""
        import numpy as np  # noqa: PLC0415 - see above

        standing = np.full((len(known), 1, self.arms), -np.inf)
        standing[:, 0, self.left] = known[:, self.left][:, :, self.left].sum(axis=1)
        rivals = np.where(np.eye(self.arms, dtype=bool), -np.inf, standing)
        is_first = rivals >= rivals.max(axis=2, keepdims=True) - _NOTHING
        weights: Floats = is_first / is_first.sum(axis=2, keepdims=True)
        return weights

    def _find_worse(self) -> list[int]:
        """Return the arms whose rivals lead them by more than chance."""
        import numpy as np  # noqa: PLC0415 - see above

        lead, square = self._leads
        found = self._correct(lead / np.sqrt(np.maximum(square, _NOTHING)))
        is_worse = (square > _NOTHING) & (found >= self._boundaries[self._taken - 1])
        return [arm for arm in self.left if is_worse[arm]]

    def _correct(self, found: Floats) -> Floats:
        """Return smaller leads where rivals lose seldom and then much (Hall's correction for skewness)."""
        import numpy as np  # noqa: PLC0415 - see above

        count = max(1, self._conversations)
        mean, square, cube = self._moments / count
        spread = np.maximum(square - mean**2, _NOTHING)
        skew = _SKEWER * np.minimum(0.0, (cube - 3 * mean * square + 2 * mean**3) / spread**1.5)
        lead = found / np.sqrt(count)
        corrected = lead + skew * lead**2 / 3 + skew**2 * lead**3 / 27 + skew / (6 * count)
        return np.where(found > 0, corrected * np.sqrt(count), found)


def divide(cases: int, batch: int | None = None) -> list[int]:
    """Return the sizes of batches: as many cases as asked for, or such that there are twenty looks."""
    size = batch or max(1, ceil(cases / LOOKS))
    return [min(size, cases - start) for start in range(0, cases, size)]
