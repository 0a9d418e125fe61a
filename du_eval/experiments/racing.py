"""A race: arms that are soundly worse than another one are dropped on the way, the best one hardly ever.

After each batch of conversations every arm is tested against all that are left: is one of them better? The
largest of their leads, in standard deviations, is compared with the largest that random swaps in whole
conversations give; swaps that would have ended the race before count as ended. The looks spend equal parts of
alpha, the last ones nothing, since dropping an arm late saves little. So the arm that is truly best is
dropped in the whole race with a chance of about alpha at most, however many arms and looks there are.
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
_SPENT = 0.9
"""The share of alpha that is spent: swaps against several arms at once are only nearly exact."""
_SPENT_AT = 0.8
"""The share of looks after which it is spent."""


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

    def __post_init__(self) -> None:
        import numpy as np  # noqa: PLC0415 - only races need it

        self.left = list(range(self.arms))
        self._random = np.random.default_rng(self.seed)
        self._sums, self._squares = np.zeros((2, self.arms, self.arms))
        self._swapped = np.zeros((self.paths, self.arms, self.arms))
        self._is_going = np.ones((self.arms, self.paths), bool)

    def look(self, conversations: Sequence[Floats]) -> list[Drop]:
        """Take in a batch, and return who leaves.

        A conversation is a table of steps by arms with the share of right answers; NaN where nobody judged.
        """
        self._taken += 1
        self._add(conversations)
        drops = [drop for arm in self.left if (drop := self._test(arm)) is not None]
        gone = {drop.arm for drop in drops}
        if len(gone) == len(self.left):
            return []
        self.left = [arm for arm in self.left if arm not in gone]
        return drops

    def _add(self, conversations: Sequence[Floats]) -> None:
        """Sum up by how much each arm is better than each other one, and the same with random swaps."""
        import numpy as np  # noqa: PLC0415 - see above

        if not conversations:
            return
        leads = np.array([np.nansum(one[:, None, :] - one[:, :, None], axis=0) for one in conversations])
        signs = 1.0 - 2.0 * self._random.integers(0, 2, size=(self.paths, len(leads)), dtype=np.int8)
        self._sums += leads.sum(axis=0)
        self._squares += (leads * leads).sum(axis=0)
        self._swapped += np.tensordot(signs, leads, 1)

    def _test(self, arm: int) -> Drop | None:
        """Return the arm as dropped if one that is left is soundly better."""
        import numpy as np  # noqa: PLC0415 - see above

        rivals = [one for one in self.left if self._squares[arm, one] > _NOTHING]
        if not rivals:
            return None
        scale, is_going = np.sqrt(self._squares[arm, rivals]), self._is_going[arm]
        reached = (self._swapped[:, arm, rivals] / scale).max(axis=1)
        spent = _SPENT * self.alpha * min(1.0, self._taken / (_SPENT_AT * self.looks))
        boundary = find_boundary(reached, is_going, spent) - _NOTHING
        is_going &= reached < boundary
        found = self._sums[arm, rivals] / scale
        return Drop(arm, rivals[int(found.argmax())]) if found.max() >= boundary else None


def divide(cases: int, batch: int | None = None) -> list[int]:
    """Return the sizes of batches: as many cases as asked for, or such that there are twenty looks."""
    size = batch or max(1, ceil(cases / LOOKS))
    return [min(size, cases - start) for start in range(0, cases, size)]
