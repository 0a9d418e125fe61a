"""A race: arms that are soundly worse than another one are dropped on the way, the best one hardly ever.

After each batch of conversations every arm is tested against all that are left: is one of them better? The
largest of their leads, in standard deviations, is compared with the largest that random swaps in whole
conversations give; swaps that would have ended the race before count as ended. The looks spend equal parts of
alpha, the last ones nothing, since dropping an arm late saves little. So the arm that is truly best is
dropped in the whole race with a chance of about alpha, however many arms and looks there are.

A rival that fails in whole conversations, and has been lucky so far, seems to lead by many standard
deviations, since its failures, which would widen them, are still to come. Three things guard against that: a
deviation is at least that of all rivals together, leads are corrected for skewness, and with few arms less of
alpha is spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from msgspec import Struct, field

from du_eval.statistics.sequential import find_boundary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LOOKS = 20
_PATHS = 2_000
_NOTHING = 1e-9
_SPENT_AT = 0.8
"""The share of looks after which it is spent."""


class Drop(Struct, frozen=True):
    """An arm that leaves the race, and the one that it lost to."""

    arm: int
    winner: int


class Racing(Struct, dict=True):
    """The state of a race between numbered arms."""

    arms: int
    looks: int
    alpha: float = 0.05
    seed: int = 0
    paths: int = _PATHS
    left: list[int] = field(default_factory=list)
    """The arms that are still asked."""
    _taken: int = 0
    _conversations: int = 0

    def __post_init__(self) -> None:
        import numpy as np  # noqa: PLC0415 - only races need it

        self.left = list(range(self.arms))
        self._random = np.random.default_rng(self.seed)
        self._sums, self._squares, self._cubes = np.zeros((3, self.arms, self.arms))
        self._swapped = np.zeros((self.arms, self.arms, self.paths))
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

        told = [one for one in conversations if len(one)]
        if not told:
            return
        steps = np.concatenate(told)
        starts = np.cumsum([0, *map(len, told[:-1])])
        leads = np.add.reduceat(np.nan_to_num(steps[:, None, :] - steps[:, :, None]), starts)
        signs = 1.0 - 2.0 * self._random.integers(0, 2, size=(self.paths, len(leads)), dtype=np.int8)
        self._sums += leads.sum(axis=0)
        self._squares += (leads**2).sum(axis=0)
        self._cubes += (leads**3).sum(axis=0)
        self._conversations += len(leads)
        self._swapped += np.tensordot(leads, signs, ((0,), (1,)))

    def _test(self, arm: int) -> Drop | None:
        """Return the arm as dropped if one that is left is soundly better."""
        import numpy as np  # noqa: PLC0415 - see above

        rivals = [one for one in self.left if self._squares[arm, one] > _NOTHING]
        if not rivals:
            return None
        squares, is_going = self._squares[arm, rivals], self._is_going[arm]
        scale = np.sqrt(np.maximum(squares, squares.mean()))
        reached = (self._swapped[arm, rivals] / scale[:, None]).max(axis=0)
        part = min(1.0, self._taken / (_SPENT_AT * self.looks))
        spent = self.alpha * part * self.arms / (self.arms + 1)
        boundary = find_boundary(reached, is_going, spent) - _NOTHING
        is_going &= reached < boundary
        found = self._correct(arm, rivals, self._sums[arm, rivals] / scale)
        return Drop(arm, rivals[int(found.argmax())]) if found.max() >= boundary else None

    def _correct(self, arm: int, rivals: list[int], found: Floats) -> Floats:
        """Return smaller leads where rivals lose seldom and then much (Hall's correction for skewness)."""
        import numpy as np  # noqa: PLC0415 - see above

        count = self._conversations
        mean, square, cube = (one[arm, rivals] / count for one in (self._sums, self._squares, self._cubes))
        spread = np.maximum(square - mean**2, _NOTHING)
        skew = np.minimum(0.0, (cube - 3 * mean * square + 2 * mean**3) / spread**1.5)
        lead = found / np.sqrt(count)
        corrected = lead + skew * lead**2 / 3 + skew**2 * lead**3 / 27 + skew / (6 * count)
        return np.where(found > 0, corrected * np.sqrt(count), found)


def divide(cases: int, batch: int | None = None) -> list[int]:
    """Return the sizes of batches: as many cases as asked for, or such that there are twenty looks."""
    size = batch or max(1, ceil(cases / LOOKS))
    return [min(size, cases - start) for start in range(0, cases, size)]
