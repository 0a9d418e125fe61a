"""Differences of means of any numbers, over the same items in two runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from msgspec import Struct

from du_eval.statistics.difference import Difference, Pair, agree, cluster_sums, typical_change
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.quantiles import t_quantile
from du_eval.statistics.significance import find_p

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


STUDENT = "clustered-student"
_MADE_UP = 2


class Clustered(Struct, frozen=True):
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

    `largest` is how far a single value can be from the mean. Then two clusters are made up that are as far
    away as those seen to differ at all are, and as far as possible where none is: a number that hardly any
    conversation moves would otherwise seem certain.
    """
    import numpy as np  # noqa: PLC0415 - see above

    found = sum_clusters(values, sizes)
    count = len(found.sums)
    if count < 2:
        return None
    apart = found.sums - found.mean * found.counts
    variance = float((apart * apart).sum()) * count / (count - 1)
    if sqrt(variance) <= _NOTHING * float(np.abs(found.sums).sum()):
        variance = 0.0  # equal values whose sums were rounded
    if largest is not None:
        variance += _MADE_UP * _typical(apart, found.counts, largest) ** 2
    return t_quantile((1 + confidence) / 2, count - 1) * sqrt(variance) / float(found.counts.sum())


def clustered_mean(
    clusters: Sequence[Sequence[float]], confidence: float = 0.95, most: float = inf
) -> Measurement:
    """Return a mean of values from 0 to `most` that come in clusters, with Student's interval over these."""
    import numpy as np  # noqa: PLC0415 - see above

    known = [cluster for cluster in clusters if cluster]
    values = np.array([value for cluster in known for value in cluster], dtype=np.float64)
    method = f"{STUDENT}:{confidence:g}"
    if not known:
        return Measurement(None, 0, method=method)
    value, sizes = float(values.mean()), [len(cluster) for cluster in known]
    half = clustered_half_width(values, sizes, confidence, most if isfinite(most) else None)
    interval = Interval(max(0.0, value - half), min(most, value + half)) if half is not None else None
    return Measurement(value, len(values), interval, method=method)


def _typical(apart: Floats, counts: Floats, largest: float) -> float:
    """Return the root mean square of clusters that differ, with one as far away as possible among them."""
    import numpy as np  # noqa: PLC0415 - see above

    each = apart / counts
    differing = apart[np.abs(each - np.median(each)) > _NOTHING]
    farthest = largest * float((counts * counts).sum() / counts.sum())
    return sqrt((farthest * farthest + float((differing * differing).sum())) / (1 + len(differing)))


METHOD = "sign-flip+student"
_NOTHING = 1e-12
_BOUND = 3.84


def mean_difference(pairs: Sequence[Pair], alpha: float = 0.05, seed: int = 0) -> Difference | None:
    """Return the difference of two means, with the cluster as the unit of chance.

    p comes from swapping the runs in whole clusters; the interval is Student's over clusters, with one
    made-up that got better and one that got worse, so that it has a width also where nothing changed.
    """
    if not pairs:
        return None
    n = len(pairs)
    differences = [pair.difference for pair in pairs]
    value = sum(differences) / n
    sums = cluster_sums(pairs)
    count = len(sums)
    between = sum((total - value * size) ** 2 for total, size in sums.values()) * count / max(1, count - 1)
    made_up = _made_up(pairs, list(sums.values()))
    error = sqrt(between + 2 * made_up * made_up) / n
    single = sum((one - value) ** 2 for one in differences) / max(1, n - 1)
    p, unseen = find_p(pairs, seed)
    wide = _around(value, error * t_quantile(1 - alpha / 2, max(1, count - 1)))
    narrow = _around(value, error * t_quantile(1 - alpha, max(1, count - 1)))
    return Difference(
        value=value,
        n=n,
        clusters=count,
        p=p,
        interval=agree(wide, p, alpha, is_gain=value > 0),
        narrow=agree(narrow, p, 2 * alpha, is_gain=value > 0),
        variance=(between + 2 * made_up * made_up) / n,
        changed=sum(abs(total) > _NOTHING for total, _ in sums.values()),
        method=f"{METHOD}:{1 - alpha:g}",
        effect=value / sqrt(single) if single > _NOTHING else None,
        unseen=unseen,
    )


def _around(value: float, half: float) -> Interval:
    return Interval(value - half, value + half)


def _made_up(pairs: Sequence[Pair], clusters: Sequence[tuple[float, int]]) -> float:
    """Return the size of a typical change of a cluster, counting one that changes as a whole.

    Where nothing changed, its items change between the extremes that were seen.
    """
    whole = sum(size * size for _, size in clusters) / len(pairs)
    if typical := typical_change([pair.difference for pair in pairs]):
        return typical_change([typical * whole, *(total for total, _ in clusters)])
    values = [pair.before for pair in pairs]
    return (max(values) - min(values) or abs(values[0]) or 1.0) * sqrt(_BOUND / 2) * whole
