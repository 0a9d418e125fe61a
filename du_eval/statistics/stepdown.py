"""Many figures at once: which of them changed, when each look is a chance to be wrong.

The step-down maximum test of Westfall and Young: runs are swapped in whole clusters, in all figures together,
so that figures which move together cost little, and a single clear change is found among many without one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from du_eval.statistics.resampling import Resampling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_NOTHING = 1e-12
_CELLS = 4_000_000


def draw_swaps(clusters: int, plan: Resampling) -> tuple[Floats, bool]:
    """Return patterns of swaps as rows of 0 and 1, and whether these are all that there are."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    if clusters < 63 and 2**clusters <= plan.resamples:
        numbers = np.arange(2**clusters)[:, None]
        return ((numbers >> np.arange(clusters)) & 1).astype(np.float64), True
    random = np.random.default_rng(plan.seed + 1)
    return random.integers(0, 2, size=(plan.resamples, clusters)).astype(np.float64), False


def adjust_p(sums: Sequence[Mapping[Hashable, float]], plan: Resampling) -> list[float]:
    """Return p of each figure after correction for their number, given the change of each in each cluster."""
    import numpy as np  # noqa: PLC0415 - see above

    places: dict[Hashable, int] = {}
    for figure in sums:
        for cluster, value in figure.items():
            if abs(value) > _NOTHING:
                places.setdefault(cluster, len(places))
    table = np.zeros((len(places), len(sums)))
    for column, figure in enumerate(sums):
        for cluster, value in figure.items():
            if cluster in places:
                table[places[cluster], column] = value
    spread = np.sqrt((table * table).sum(axis=0))
    if not places:
        return [1.0] * len(sums)
    size = max(1, min(plan.resamples, _CELLS // len(places)))
    patterns, is_all = draw_swaps(len(places), Resampling(size, plan.seed, plan.confidence))
    swapped = (1 - 2 * patterns) @ table
    return step_down(table.sum(axis=0), swapped, spread, is_all=is_all)


def step_down(observed: Floats, swapped: Floats, spread: Floats, *, is_all: bool) -> list[float]:
    """Return p after correction: figures by their evidence, each against the largest of the rest.

    `swapped` has a row for each swap; figures without a spread did not change.
    """
    import numpy as np  # noqa: PLC0415 - see above

    known = spread > _NOTHING
    scale = np.where(known, spread, 1.0)
    found = np.where(known, np.abs(np.nan_to_num(observed)) / scale, 0.0)
    drawn = np.where(known, np.abs(np.nan_to_num(swapped)) / scale, 0.0)
    order = np.argsort(-found, kind="stable")
    largest = np.zeros(len(drawn))
    p = np.ones(len(found))
    for place in order[::-1]:
        largest = np.maximum(largest, drawn[:, place])
        hits = int((largest >= found[place] - 1e-9).sum())
        if known[place]:
            p[place] = hits / len(drawn) if is_all else (hits + 1) / (len(drawn) + 1)
    ordered = np.maximum.accumulate(p[order])
    p[order] = ordered
    return [float(min(1.0, one)) for one in p]
