"""What each line adds to the score of a corpus: pseudo-values, which average to it and carry its spread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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
