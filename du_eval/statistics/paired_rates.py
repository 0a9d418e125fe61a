"""Differences of rates over the same items in two runs."""

from __future__ import annotations

from collections.abc import Sequence

from du_eval.statistics.difference import Difference, Pair, agree, cluster_sums
from du_eval.statistics.intervals import Interval
from du_eval.statistics.paired_interval import design_effect, score_interval
from du_eval.statistics.quantiles import t_quantile
from du_eval.statistics.significance import cluster_sign_flip

METHOD = "sign-flip+tango"
_NOTHING = 1e-12


def rate_difference(pairs: Sequence[Pair], alpha: float = 0.05, seed: int = 0) -> Difference | None:
    """Return the difference of two rates over the same items, with the cluster as the unit of chance."""
    if not pairs:
        return None
    n = len(pairs)
    better = sum(max(0.0, pair.difference) for pair in pairs)
    worse = sum(max(0.0, -pair.difference) for pair in pairs)
    sums = cluster_sums(pairs)
    effect = design_effect(list(sums.values()), [pair.difference for pair in pairs])
    changes = better, worse, n
    share, value = (better + worse + 2) / (n + 2), (better - worse) / n
    p = cluster_sign_flip([total for total, _ in sums.values()], seed=seed)
    wide = rate_interval(changes, effect, 1 - alpha / 2, len(sums))
    narrow = rate_interval(changes, effect, 1 - alpha, len(sums))
    return Difference(
        value=value,
        n=n,
        p=p,
        interval=agree(wide, p, alpha, is_gain=value > 0),
        narrow=agree(narrow, p, 2 * alpha, is_gain=value > 0),
        clusters=len(sums),
        changed=sum(abs(total) > _NOTHING for total, _ in sums.values()),
        method=f"{METHOD}:{1 - alpha:g}",
        is_rate=True,
        better=better,
        worse=worse,
        design_effect=effect,
        variance=max(share - value**2, 1e-9) * effect,
        effect=better / (better + worse) - 0.5 if better + worse > _NOTHING else None,
    )


def rate_interval(
    changes: tuple[float, float, float], effect: float, share: float, clusters: int
) -> Interval:
    """Return the interval at the effective sample size, which the clusters make smaller."""
    better, worse, n = changes
    quantile = t_quantile(share, max(1, clusters - 1))
    return score_interval(better / effect, worse / effect, n / effect, quantile)
