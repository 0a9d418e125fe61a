"""Bootstrap intervals of scores that are functions of summed counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from du_eval.statistics.counts import Counts
from du_eval.statistics.intervals import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNK = 50


def f1_intervals(
    clusters: Sequence[Mapping[str, Counts]], confidence: float = 0.95, resamples: int = 1000, seed: int = 0
) -> dict[str, Interval]:
    """Return a percentile interval of F1 by name, drawing whole clusters (conversations) with replacement.

    The names `macro` and `micro` hold the intervals of the averages over all names.
    """
    names = sorted({name for cluster in clusters for name in cluster})
    if not names or len(clusters) < 2:
        return {}
    import numpy as np  # noqa: PLC0415 - only runs that report need it

    table = np.zeros((len(clusters), len(names), 3))
    index = {name: column for column, name in enumerate(names)}
    for row, cluster in enumerate(clusters):
        for name, counts in cluster.items():
            table[row, index[name]] += (counts.tp, counts.fp, counts.fn)
    scores = np.concatenate(list(_scores(table, resamples, seed)))
    tails = [50 * (1 - confidence), 50 * (1 + confidence)]
    found = {}
    for column, name in enumerate([*names, "macro", "micro"]):
        known = scores[:, column][~np.isnan(scores[:, column])]
        if len(known):
            low, high = np.percentile(known, tails)
            found[name] = Interval(float(low), float(high))
    return found


def _scores(table: NDArray[np.float64], resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield F1 by name, macro and micro of each resample, in chunks that bound the memory."""
    import numpy as np  # noqa: PLC0415 - see above

    random = np.random.default_rng(seed)
    clusters, names, _ = table.shape
    flat = table.reshape(clusters, -1)
    for start in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - start)
        weights = random.multinomial(clusters, np.full(clusters, 1 / clusters), size=size)
        sums = (weights @ flat).reshape(size, names, 3)
        with np.errstate(invalid="ignore", divide="ignore"):
            by_name = _f1(sums)
            known = ~np.isnan(by_name)
            macro = np.where(known, by_name, 0).sum(axis=1) / known.sum(axis=1)
            micro = _f1(sums.sum(axis=1))
        yield np.column_stack([by_name, macro, micro])


def _f1(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    tp, fp, fn = counts[..., 0], counts[..., 1], counts[..., 2]
    return 2 * tp / (2 * tp + fp + fn)  # type: ignore[no-any-return]
