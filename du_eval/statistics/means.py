"""How sure we are of a mean over values that come in clusters: the lines of conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from du_eval.statistics.quantiles import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MADE_UP = 2
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Clustered:
    """Values summed by cluster; clusters without a known value are left out."""

    sums: Floats
    counts: Floats

    @property
    def mean(self) -> float:
        """The mean over all values."""
        return float(self.sums.sum() / self.counts.sum())


def sum_clusters(values: Floats, sizes: Sequence[int] = ()) -> Clustered:
    """Return values summed by clusters of so many lines each, NaN left out; without sizes, each is one."""
    import numpy as np  # noqa: PLC0415 - the package must import fast where no array is needed

    known = ~np.isnan(values)
    sums, counts = np.where(known, values, 0.0), known.astype(np.float64)
    if sizes and sum(sizes) == len(values):
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        sums, counts = np.add.reduceat(sums, starts), np.add.reduceat(counts, starts)
    return Clustered(sums[counts > 0], counts[counts > 0])


def clustered_half_width(
    values: Floats, sizes: Sequence[int], confidence: float, largest: float | None = None
) -> float | None:
    """Return half the width of the interval of a mean, with the cluster as the unit of chance.

    `largest` is how far a single value can be from the mean. Then two values are made up that are as far away
    as those seen to differ at all are, and as far as possible where none is: a number that hardly any line
    moves would otherwise seem certain.
    """
    found = sum_clusters(values, sizes)
    count = len(found.sums)
    if count < 2:
        return None
    apart = found.sums - found.mean * found.counts
    variance = float((apart * apart).sum()) * count / (count - 1)
    if largest is not None:
        variance += _MADE_UP * _typical(apart / found.counts, largest) ** 2
    return t_quantile((1 + confidence) / 2, count - 1) * sqrt(variance) / float(found.counts.sum())


def _typical(apart: Floats, largest: float) -> float:
    """Return the root mean square of what differs, with one value as far away as possible among them."""
    import numpy as np  # noqa: PLC0415 - see above

    usual = float(np.median(apart))
    differing = apart[np.abs(apart - usual) > _NOTHING]
    return sqrt((largest * largest + float((differing * differing).sum())) / (1 + len(differing)))
