"""Whether a difference between two runs is more than chance: tests that swap the runs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import comb, sqrt
from typing import TYPE_CHECKING

from du_eval.statistics.difference import (
    Difference,
    Pair,
    Unseen,
    cluster_sums,
    find_unseen,
    typical_change,
)
from du_eval.statistics.quantiles import normal_share
from du_eval.statistics.resampling import Resampling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


_FEW = 1000
_MANY = 2000
SWAPS = 4000
"""How many swaps corrections for several verdicts draw."""
_NOTHING = 1e-12


def exact_mcnemar(better: int, worse: int) -> float:
    """Return the two-sided p of a split of independent discordant pairs, by the binomial distribution."""
    n, smaller = better + worse, min(better, worse)
    if n > _FEW:
        z = (abs(better - worse) - 1) / sqrt(n)
        return min(1.0, 2 * (1 - normal_share(z)))
    tail = sum(comb(n, k) for k in range(smaller + 1)) / 2**n
    return float(min(1.0, 2 * tail))


def find_p(pairs: Sequence[Pair], seed: int = 0) -> tuple[float, Unseen]:
    """Return the two-sided p of a difference: by swaps of clusters, bounded by what is unseen."""
    sums = cluster_sums(pairs).values()
    unseen = find_unseen(sums, typical_change([pair.difference for pair in pairs]))
    return max(cluster_sign_flip([total for total, _ in sums], seed=seed), unseen.p()), unseen


def cluster_sign_flip(differences: Sequence[float], resamples: int = 10_000, seed: int = 0) -> float:
    """Return the two-sided p of the sum of cluster differences when each cluster might as well be swapped.

    With whole numbers all 2^k swaps are counted (exact); otherwise swaps are drawn, and where there are
    thousands, the normal distribution stands for them. Where every cluster has one discordant pair, this is
    the exact McNemar test.
    """
    observed = abs(sum(differences))
    nonzero = [abs(value) for value in differences if abs(value) > _NOTHING]
    if not nonzero:
        return 1.0
    if all(abs(size - round(size)) < 1e-9 for size in nonzero):
        return _exact_flips([round(size) for size in nonzero], round(observed))
    if len(nonzero) > _MANY:
        z = observed / sqrt(sum(size * size for size in nonzero))
        return 2 * (1 - normal_share(z))
    return _drawn_flips(nonzero, observed, resamples, seed)


def _exact_flips(sizes: Sequence[int], observed: int) -> float:
    """Return the share of sign patterns whose sum is at least as far from zero, added one by one."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    total = sum(sizes)
    chances = np.zeros(2 * total + 1)
    chances[total] = 1.0
    reach = 0
    for size in sizes:
        reach += size
        low, high = total - reach, total + reach + 1
        part = np.zeros(high - low)
        inner = chances[low + size : high - size]
        part[: len(inner)] += inner / 2
        part[len(part) - len(inner) :] += inner / 2
        chances[low:high] = part
    sums = np.abs(np.arange(-total, total + 1))
    return float(min(1.0, chances[sums >= observed].sum()))


def _drawn_flips(sizes: Sequence[float], observed: float, resamples: int, seed: int) -> float:
    import numpy as np  # noqa: PLC0415 - see above

    random = np.random.default_rng(seed)
    values = np.asarray(sizes)
    width, total = (len(values) + 7) // 8, values.sum()
    hits, done = 0, 0
    while done < resamples:
        size = min(resamples - done, max(1, 2_000_000 // len(values)))
        drawn = np.frombuffer(random.bytes(size * width), np.uint8).reshape(size, width)
        is_kept = np.unpackbits(drawn, axis=1, count=len(values))
        sums = 2 * (is_kept.astype(np.float64) @ values) - total
        hits += int((np.abs(sums) >= observed - 1e-9).sum())
        done += size
    return (hits + 1) / (resamples + 1)


_CELLS = 4_000_000


def draw_swaps(clusters: int, plan: Resampling) -> tuple[Floats, bool]:
    """Return patterns of swaps as rows of 0 and 1, and whether these are all that there are."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    if clusters < 63 and 2**clusters <= plan.resamples:
        numbers = np.arange(2**clusters)[:, None]
        return ((numbers >> np.arange(clusters)) & 1).astype(np.float64), True
    random = np.random.default_rng(plan.seed + 1)
    return random.integers(0, 2, size=(plan.resamples, clusters)).astype(np.float64), False


def adjust_together(
    found: Sequence[Difference], sums: Sequence[Mapping[Hashable, float]], plan: Resampling
) -> list[float]:
    """Return p of each difference after correction for their number, of swaps and of what is unseen."""
    swapped = adjust_p(sums, plan) if len(found) > 1 else [0.0] * len(found)
    unseen = adjust_unseen([one.unseen for one in found])
    return [max(one.p, *both) for one, *both in zip(found, swapped, unseen, strict=True)]


def adjust_unseen(unseen: Sequence[Unseen]) -> list[float]:
    """Return p of what is unseen after correction for the number of those that may be called (Holm)."""
    p = [one.p() for one in unseen]
    left, largest = sum(0 < one < 1 for one in p), 0.0
    for place in sorted(range(len(p)), key=p.__getitem__):
        if 0 < p[place] < 1:
            largest, left = max(largest, p[place] * left), left - 1
            p[place] = min(1.0, largest)
    return p


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
    swapped, is_all = _swap_sums(table, plan)
    return step_down(table.sum(axis=0), swapped, spread, is_all=is_all)


def _swap_sums(table: Floats, plan: Resampling) -> tuple[Floats, bool]:
    """Return sums of columns after swaps of rows, and whether these are all that there are.

    Where rows are thousands, the normal distribution stands for them.
    """
    import numpy as np  # noqa: PLC0415 - see above

    rows, columns = table.shape
    if rows > _MANY:
        random = np.random.default_rng(plan.seed + 1)
        variances, axes = np.linalg.eigh(table.T @ table)
        drawn = random.standard_normal((plan.resamples, columns)) * np.sqrt(np.maximum(variances, 0.0))
        return drawn @ axes.T, False
    patterns, is_all = draw_swaps(rows, Resampling(min(plan.resamples, _CELLS // rows), plan.seed))
    return (1 - 2 * patterns) @ table, is_all


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
