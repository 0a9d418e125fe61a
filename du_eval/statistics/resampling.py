"""Bootstrap of means over lines: intervals, and whether two systems differ on the same lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from du_eval.statistics.difference import Difference
from du_eval.statistics.intervals import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
from collections.abc import Callable

_CELLS = 4_000_000


class Resampling(Struct, frozen=True):
    """How often is drawn, from which seed, and how sure intervals shall be."""

    resamples: int = 2000
    seed: int = 0
    confidence: float = 0.95
    sizes: tuple[int, ...] = ()
    """How many rows each cluster has: whole clusters are drawn; empty: each row is one."""


def resample_means(table: Floats, how: Resampling) -> Floats:
    """Return the means of the columns in every resample of the rows; NaN cells do not count.

    All columns see the same resamples, which costs one draw for all and keeps them paired.
    """
    import numpy as np  # noqa: PLC0415 - the package must import fast where no array is needed

    known = ~np.isnan(table)
    stacked = np.hstack([np.where(known, table, 0.0), known.astype(np.float64)])
    if how.sizes and sum(how.sizes) == len(table):
        stacked = np.add.reduceat(stacked, np.concatenate([[0], np.cumsum(how.sizes)[:-1]]), axis=0)
    lines = len(stacked)
    random = np.random.default_rng(how.seed)
    means = np.empty((how.resamples, table.shape[1]))
    size = max(1, _CELLS // max(1, lines))
    for first in range(0, how.resamples, size):
        many = min(size, how.resamples - first)
        weights = np.empty((many, lines))
        for row in weights:
            row[:] = np.bincount(random.integers(lines, size=lines), minlength=lines)
        sums, counts = np.hsplit(weights @ stacked, 2)
        means[first : first + many] = np.divide(
            sums, counts, out=np.full_like(sums, np.nan), where=counts > 0
        )
    return means


def percentile_interval(means: Floats, confidence: float) -> Interval | None:
    """Return the interval that holds the given share of the resampled values."""
    import numpy as np  # noqa: PLC0415 - see above

    known = means[~np.isnan(means)]
    if not len(known):
        return None
    low, high = np.percentile(known, [50 * (1 - confidence), 50 * (1 + confidence)])
    return Interval(float(low), float(high))


def difference(observed: float, means: Floats, confidence: float, lines: int) -> Difference | None:
    """Return an observed difference over so many lines, with what its resamples say about it."""
    import numpy as np  # noqa: PLC0415 - see above

    interval, narrow = percentile_interval(means, confidence), percentile_interval(means, 2 * confidence - 1)
    if interval is None or narrow is None:
        return None
    known = means[~np.isnan(means)]
    below = (np.count_nonzero(known <= 0) + 1) / (len(known) + 1)
    above = (np.count_nonzero(known >= 0) + 1) / (len(known) + 1)
    p = float(min(1.0, 2 * min(below, above)))
    return Difference(observed, lines, p, interval, narrow, lines, lines, f"bootstrap:{confidence:g}")


_EXACT_LINES = 2000
_RELATIVE_STEP = 1e-4


def from_left_out(value: float, without: Floats) -> Floats:
    """Return the pseudo-values of a score, given what it would be without each line."""
    return len(without) * value - (len(without) - 1) * without


def from_derivatives(value: float, derivatives: Floats) -> Floats:
    """Return the pseudo-values of a score, given how it changes with the weight of each line."""
    return value + len(derivatives) * (derivatives - derivatives.mean())  # type: ignore[no-any-return]


def from_sums(rows: Floats, score: Callable[[Floats], float]) -> tuple[float, Floats]:
    """Return a score of summed columns, and its pseudo-values.

    Each line is left out in turn; where there are many, the score is taken as linear near its sums, which it
    is the more the less one line weighs.
    """
    import numpy as np  # noqa: PLC0415 - the package must import fast where no array is needed

    sums = rows.sum(axis=0)
    value = score(sums)
    if len(rows) == 1:
        return value, np.array([value])
    if len(rows) <= _EXACT_LINES:
        return value, from_left_out(value, np.array([score(sums - row) for row in rows]))
    slopes = np.zeros(len(sums))
    for column in np.flatnonzero(sums):
        # A whole step, because scores of counts may round what they are given.
        step = np.zeros(len(sums))
        step[column] = max(1.0, round(_RELATIVE_STEP * sums[column]))
        slopes[column] = (score(sums + step) - score(sums - step)) / (2 * step[column])
    return value, from_derivatives(value, rows @ slopes)
