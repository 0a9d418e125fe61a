"""Paired comparisons: whether a difference between two runs is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erf, sqrt

from du_eval.statistics.intervals import Interval
from du_eval.statistics.paired_interval import design_effect, score_interval
from du_eval.statistics.quantiles import t_quantile

_FEW = 1000
_MANY = 2000
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Pair:
    """One thing that two runs did: how well each did it, and the cluster that it belongs to."""

    cluster: int
    before: float
    after: float

    @property
    def difference(self) -> float:
        """What the second run did better."""
        return self.after - self.before


def exact_mcnemar(better: int, worse: int) -> float:
    """Return the two-sided p of a split of independent discordant pairs, by the binomial distribution."""
    n, smaller = better + worse, min(better, worse)
    if n > _FEW:
        z = (abs(better - worse) - 1) / sqrt(n)
        return min(1.0, 2 * (1 - _normal_share(z)))
    tail = sum(comb(n, k) for k in range(smaller + 1)) / 2**n
    return float(min(1.0, 2 * tail))


def _normal_share(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


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
        return 2 * (1 - _normal_share(z))
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


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two rates are apart, and how sure that is."""

    value: float
    n: int
    clusters: int
    better: float
    """The sum of what went better; with one sample a step: how many steps went from wrong to right."""
    worse: float
    p: float
    interval: Interval
    narrow: Interval
    """The interval of the equivalence test: both its one-sided errors are alpha."""
    design_effect: float
    changed: int
    """How many clusters changed at all."""

    @property
    def cohens_g(self) -> float | None:
        """The effect size of a sign test: how far the split of the changes is from one half."""
        changed = self.better + self.worse
        return (self.better / changed - 0.5) if changed else None


def rate_difference(pairs: Sequence[Pair], alpha: float = 0.05, seed: int = 0) -> Difference | None:
    """Return the difference of two rates over the same items, with the cluster as the unit of chance."""
    if not pairs:
        return None
    n = len(pairs)
    better = sum(max(0.0, pair.difference) for pair in pairs)
    worse = sum(max(0.0, -pair.difference) for pair in pairs)
    sums = _by_cluster(pairs, [pair.difference for pair in pairs])
    effect = _effect(pairs, list(sums.values()))
    changes = better, worse, n
    return Difference(
        value=(better - worse) / n,
        n=n,
        clusters=len(sums),
        better=better,
        worse=worse,
        p=cluster_sign_flip([total for total, _ in sums.values()], seed=seed),
        interval=_interval(changes, effect, 1 - alpha / 2, len(sums)),
        narrow=_interval(changes, effect, 1 - alpha, len(sums)),
        design_effect=effect,
        changed=sum(abs(total) > _NOTHING for total, _ in sums.values()),
    )


def _by_cluster(pairs: Sequence[Pair], values: Sequence[float]) -> dict[int, tuple[float, int]]:
    """Return the sum of the values and the number of items of each cluster."""
    found: dict[int, tuple[float, int]] = {}
    for pair, value in zip(pairs, values, strict=True):
        total, count = found.get(pair.cluster, (0.0, 0))
        found[pair.cluster] = (total + value, count + 1)
    return found


def _effect(pairs: Sequence[Pair], sums: Sequence[tuple[float, int]]) -> float:
    """Return the design effect of the changes.

    Where nothing changed it cannot be seen; then that of what was right and wrong stands for it.
    """
    differences = [pair.difference for pair in pairs]
    if any(abs(difference) > _NOTHING for difference in differences):
        return design_effect(sums, differences)
    outcomes = [pair.before for pair in pairs]
    return max(1.0, design_effect(list(_by_cluster(pairs, outcomes).values()), outcomes))


def _interval(changes: tuple[float, float, int], effect: float, share: float, clusters: int) -> Interval:
    """Return the interval at the effective sample size, which the clusters make smaller."""
    better, worse, n = changes
    quantile = t_quantile(share, max(1, clusters - 1))
    return score_interval(better / effect, worse / effect, n / effect, quantile)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p values after Holm's correction for having looked many times, in the same order."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted
