"""Bootstrap intervals of scores that are functions of summed counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from du_eval.statistics.counts import Counts, pooled, summed
from du_eval.statistics.intervals import Interval, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MACRO, MICRO = "macro", "micro"
_CHUNK = 50
_AGREEMENT = 1e-12


def f1_intervals(
    clusters: Sequence[Mapping[str, Counts]], confidence: float = 0.95, resamples: int = 1000, seed: int = 0
) -> dict[str, Interval]:
    """Return a percentile interval of F1 by name, and of the averages as `macro` and `micro`.

    Where a name may be `macro` or `micro` itself, `f1_intervals_apart` keeps them apart.
    """
    by_name, averages = f1_intervals_apart(clusters, confidence, resamples, seed)
    return by_name | averages


def f1_intervals_apart(
    clusters: Sequence[Mapping[str, Counts]], confidence: float = 0.95, resamples: int = 1000, seed: int = 0
) -> tuple[dict[str, Interval], dict[str, Interval]]:
    """Return percentile intervals of F1 by name, and those of the averages over all names.

    Whole clusters (conversations) are drawn with replacement. Where all resamples agree, as they do on few
    cases, it is the Wilson interval of tp / (tp + fp + fn), turned into F1.
    """
    names = sorted({name for cluster in clusters for name in cluster})
    if not names:
        return {}, {}
    import numpy as np  # noqa: PLC0415 - only runs that report need it

    table = np.zeros((len(clusters), len(names), 3))
    index = {name: column for column, name in enumerate(names)}
    for row, cluster in enumerate(clusters):
        for name, counts in cluster.items():
            table[row, index[name]] += (counts.tp, counts.fp, counts.fn)
    scores = np.concatenate(list(_scores(table, resamples, seed)))
    tails = [50 * (1 - confidence), 50 * (1 + confidence)]
    found: tuple[dict[str, Interval], dict[str, Interval]] = ({}, {})
    fallbacks = _without_resampling(pooled(clusters), confidence)
    for column, (part, name) in enumerate([*((0, name) for name in names), (1, MACRO), (1, MICRO)]):
        known = scores[:, column][~np.isnan(scores[:, column])]
        if len(known) and np.ptp(known) > _AGREEMENT:
            low, high = np.percentile(known, tails)
            found[part][name] = Interval(float(low), float(high))
        elif name in fallbacks[part]:
            found[part][name] = fallbacks[part][name]
    return found


def _without_resampling(
    by_name: Mapping[str, Counts], confidence: float
) -> tuple[dict[str, Interval], dict[str, Interval]]:
    """Return intervals from counts alone: of each name; of their mean, and of their sum."""
    intervals = {name: _from_wilson(counts, confidence) for name, counts in by_name.items()}
    found = {name: interval for name, interval in intervals.items() if interval is not None}
    if not found:
        return {}, {}
    low = sum(interval.low for interval in found.values()) / len(found)
    high = sum(interval.high for interval in found.values()) / len(found)
    micro = _from_wilson(summed(by_name.values()), confidence)
    assert micro is not None, "where one name has counts, their sum has"
    return found, {MACRO: Interval(low, high), MICRO: micro}


def _from_wilson(counts: Counts, confidence: float) -> Interval | None:
    """Return the Wilson interval of the Jaccard share J, mapped by F1 = 2J / (1 + J)."""
    share = wilson(counts.tp, counts.tp + counts.fp + counts.fn, confidence)
    return share and Interval(2 * share.low / (1 + share.low), 2 * share.high / (1 + share.high))


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
    return 2 * tp / (2 * tp + fp + fn)
