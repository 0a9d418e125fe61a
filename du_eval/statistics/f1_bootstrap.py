"""Intervals of F1 differences: a bootstrap over clusters that holds where few or none changed, too."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING, Any

from du_eval.statistics.intervals import Interval
from du_eval.statistics.quantiles import normal_quantile, t_quantile
from du_eval.statistics.resampling import Resampling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Tables = tuple[Floats, Floats]
else:
    Tables = tuple

CELLS = 4_000_000
_MADE_UP = 2.0


def f1_scores(sums: Floats) -> Floats:
    """Return F1 by name, macro and micro of each row of sums (rows x names x 3)."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    by_name = _f1(sums)
    return np.column_stack([by_name, *_averages(sums, by_name)])


def _averages(sums: Floats, by_name: Floats) -> tuple[Floats, Floats]:
    import numpy as np  # noqa: PLC0415 - see above

    known = ~np.isnan(by_name)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(known, by_name, 0).sum(axis=1) / known.sum(axis=1), _f1(sums.sum(axis=1))


def _f1(counts: Floats) -> Any:
    import numpy as np  # noqa: PLC0415 - see above

    tp, fp, fn = counts[..., 0], counts[..., 1], counts[..., 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        return 2 * tp / (2 * tp + fp + fn)


def bootstrap_intervals(tables: Tables, estimates: Floats, plan: Resampling) -> dict[int, Interval]:
    """Return the interval of each column of F1 differences, where the difference is known.

    Clusters are drawn with replacement, and to each draw come about two made-up clusters that got right and
    two that got wrong: otherwise commands that changed rarely would seem never to change. Where nothing
    changed, that gives the bound of a score test (3.8 / clusters). With few clusters the interval is
    stretched around the estimate as Student's distribution is against the normal one.
    """
    import numpy as np  # noqa: PLC0415 - see above

    drawn = np.concatenate(list(_draws(tables, plan)))
    held, _ = count_clusters(tables)
    tails = [50 * (1 - plan.confidence), 50 * (1 + plan.confidence)]
    found = {}
    for column, estimate in enumerate(estimates):
        known = drawn[:, column][~np.isnan(drawn[:, column])]
        if np.isnan(estimate) or not len(known):
            continue
        low, high = np.percentile(known, tails)
        stretch = _stretch(held[column], plan.confidence)
        found[column] = Interval(
            max(-1.0, float(estimate - stretch * max(0.0, estimate - low))),
            min(1.0, float(estimate + stretch * max(0.0, high - estimate))),
        )
    return found


def count_clusters(tables: Tables) -> tuple[list[int], list[int]]:
    """Return in how many clusters each name occurs, and changed; and the same of all names, for averages."""
    occurs = (tables[0] + tables[1]).sum(axis=2) > 0
    changed = (tables[0] != tables[1]).any(axis=2)
    found = []
    for table in (occurs, changed):
        total = int(table.any(axis=1).sum())
        found.append([*(int(count) for count in table.sum(axis=0)), total, total])
    return found[0], found[1]


def _stretch(clusters: int, confidence: float) -> float:
    share = (1 + confidence) / 2
    few = max(2, clusters)
    return t_quantile(share, few - 1) / normal_quantile(share) * sqrt(few / (few - 1))


def _draws(tables: Tables, plan: Resampling) -> Iterator[Floats]:
    """Yield differences over clusters drawn with replacement; equal clusters are drawn as one group."""
    import numpy as np  # noqa: PLC0415 - see above

    clusters, names, _ = tables[0].shape
    both = np.concatenate([table.reshape(clusters, -1) for table in tables], axis=1)
    kinds, sizes = np.unique(both, axis=0, return_counts=True)
    random = np.random.default_rng(plan.seed)
    made_up = _make_up(tables)
    done = 0
    while done < plan.resamples:
        size = min(plan.resamples - done, max(1, CELLS // len(kinds)))
        sums = (random.multinomial(clusters, sizes / clusters, size=size) @ kinds).reshape(size, 2, names, 3)
        single, many = (
            _changed(sums, sizes * random.poisson(rates, size=(size, 2, names))) for rates, sizes in made_up
        )
        averages = [np.column_stack(_averages(many[:, side], _f1(many[:, side]))) for side in (0, 1)]
        yield np.column_stack([_f1(single[:, 1]) - _f1(single[:, 0]), averages[1] - averages[0]])
        done += size


def _make_up(tables: Tables) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return how many clusters are made up for a name, and their size: for its own score, and for averages.

    Their size is the mean of what changed in a cluster, and of one more in which all changes.
    """
    import numpy as np  # noqa: PLC0415 - see above

    sizes, shares = [], []
    for first, second in (tables, [table.sum(axis=1, keepdims=True) for table in tables]):
        held = np.maximum(first, second)[..., [0, 2]].max(axis=2)
        change = np.abs(second - first).max(axis=2)
        whole = np.maximum(1.0, (held * held).sum(axis=0) / np.maximum(1.0, held.sum(axis=0)))
        sizes.append((change.sum(axis=0) + whole) / ((change > 0).sum(axis=0) + 1))
        shares.append(held.sum(axis=0) / max(1.0, float(held.sum())))
    return (np.full_like(shares[0], _MADE_UP), sizes[0]), (_MADE_UP * shares[0], sizes[1])


def _changed(sums: Floats, made_up: Floats) -> Floats:
    """Return sums with made-up commands: better ones are right only after, worse ones only before."""
    better, worse = made_up[:, 0], made_up[:, 1]
    found = sums.copy()
    found[:, 0, :, 0] += worse
    found[:, 0, :, 2] += better
    found[:, 1, :, 0] += better
    found[:, 1, :, 2] += worse
    return found
