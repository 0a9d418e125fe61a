"""A race: arms that are soundly worse than another one are dropped on the way, the best one hardly ever.

After each batch of conversations every arm is tested against each one that is left: is that one better?
The sum of their differences is compared with what random swaps of the two in whole conversations give; swaps
that would have ended the race before count as ended. Each look spends an equal part of alpha, and each of
the other arms an equal part of that. So the arm that is truly best is dropped in the whole race with a
chance of at most alpha, however many arms and looks there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

from du_eval.statistics.sequential import find_boundary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LOOKS = 20
_PATHS = 6_000
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Drop:
    """An arm that leaves the race, and the one that it lost to."""

    arm: int
    winner: int


@dataclass
class Racing:
    """The state of a race between numbered arms."""

    arms: int
    looks: int
    alpha: float = 0.05
    seed: int = 0
    paths: int = _PATHS
    left: list[int] = field(default_factory=list)
    """The arms that are still asked."""
    _taken: int = 0
    _lanes: list[Lane] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = list(range(self.arms))
        self._lanes = [Lane(arm, self.arms, self.paths, self.seed) for arm in range(self.arms)]

    def look(self, conversations: Sequence[Floats]) -> list[Drop]:
        """Take in a batch, and return who leaves.

        A conversation is a table of steps by arms with the share of right answers; NaN where nobody judged.
        """
        self._taken += 1
        spent = self.alpha * min(1.0, self._taken / self.looks)
        found = []
        for arm in self.left:
            winner = self._lanes[arm].look(conversations, self.left, spent)
            if winner is not None:
                found.append(Drop(arm, winner))
        gone = {drop.arm for drop in found}
        if len(gone) == len(self.left):
            return []
        self.left = [arm for arm in self.left if arm not in gone]
        return found


class Lane:
    """One arm against all others: the sums of differences, and those of random swaps."""

    def __init__(self, arm: int, arms: int, paths: int, seed: int) -> None:
        import numpy as np  # noqa: PLC0415 - only races need it

        self._arm = arm
        self._random = np.random.default_rng([seed, arm])
        self._sums, self._squares = np.zeros(arms), np.zeros(arms)
        self._swapped = np.zeros((paths, arms))
        self._is_going = np.ones((paths, arms), bool)

    def look(self, conversations: Sequence[Floats], left: Sequence[int], spent: float) -> int | None:
        """Return an arm that is soundly better now, if there is one."""
        import numpy as np  # noqa: PLC0415 - see above

        if conversations:
            apart = np.array([np.nansum(one - one[:, [self._arm]], axis=0) for one in conversations])
            signs = 1.0 - 2.0 * self._random.integers(0, 2, size=(len(self._swapped), len(apart)))
            self._sums += apart.sum(axis=0)
            self._squares += (apart * apart).sum(axis=0)
            self._swapped += signs @ apart
        leads = {}
        for rival in left:
            if rival == self._arm or self._squares[rival] <= _NOTHING:
                continue
            reached, is_going = self._swapped[:, rival], self._is_going[:, rival]
            boundary = find_boundary(reached, is_going, spent / (len(self._sums) - 1))
            is_going &= reached < boundary - _NOTHING
            if self._sums[rival] >= boundary - _NOTHING:
                leads[rival] = self._sums[rival] / np.sqrt(self._squares[rival])
        return max(leads, key=lambda rival: leads[rival], default=None)


def divide(cases: int, batch: int | None = None) -> list[int]:
    """Return the sizes of batches: as many cases as asked for, or such that there are twenty looks."""
    size = batch or max(1, ceil(cases / LOOKS))
    return [min(size, cases - start) for start in range(0, cases, size)]
