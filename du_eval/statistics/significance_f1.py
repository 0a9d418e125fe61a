"""Differences of F1 between two runs over the same conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from du_eval.statistics.counts import Counts, pooled
from du_eval.statistics.intervals import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Clusters = Sequence[Mapping[str, Counts]]
_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class F1Difference:
    """How far two F1 scores are apart; undefined where one of them is."""

    name: str
    before: float | None
    after: float | None
    n: int
    """How often the command was expected."""
    interval: Interval | None = None
    p: float | None = None

    @property
    def value(self) -> float | None:
        """What the second run does better."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class Resampling:
    """How often is drawn, from which seed, and how sure intervals shall be."""

    resamples: int = 2000
    seed: int = 0
    confidence: float = 0.95


def f1_differences(
    before: Clusters, after: Clusters, plan: Resampling | None = None
) -> dict[str, F1Difference]:
    """Return the difference of F1 by name, and of `macro` and `micro` over all names.

    Intervals come from drawing whole clusters with replacement, the same ones for both runs; p from swapping
    the two runs in clusters drawn at random, which is fair if neither run is better.
    """
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    plan = plan or Resampling()
    names = sorted({name for cluster in (*before, *after) for name in cluster})
    if not names:
        return {}
    tables = _table(before, names), _table(after, names)
    first, second = (_scores(table.sum(axis=0)[None])[0] for table in tables)
    total = pooled(list(after))
    counts = [total[name].total if name in total else 0 for name in names]
    drawn = _bootstrap(tables, plan) if len(before) > 1 else None
    swapped = _swaps(tables, plan)
    found = {}
    for column, name in enumerate([*names, "macro", "micro"]):
        value = second[column] - first[column]
        found[name] = F1Difference(
            name,
            _known(first[column]),
            _known(second[column]),
            counts[column] if column < len(names) else sum(counts),
            _percentiles(drawn[:, column], plan) if drawn is not None else None,
            None if np.isnan(value) else _p(swapped[:, column], float(value)),
        )
    return found


def _known(value: Any) -> float | None:
    return None if value != value else float(value)  # noqa: PLR0124 - NaN is what differs from itself


def _table(clusters: Clusters, names: Sequence[str]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415 - see above

    index = {name: column for column, name in enumerate(names)}
    table = np.zeros((len(clusters), len(names), 3))
    for row, cluster in enumerate(clusters):
        for name, counts in cluster.items():
            table[row, index[name]] += (counts.tp, counts.fp, counts.fn)
    return table


def _scores(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return F1 by name, macro and micro of each row of sums (rows x names x 3)."""
    import numpy as np  # noqa: PLC0415 - see above

    with np.errstate(invalid="ignore", divide="ignore"):
        by_name = _f1(sums)
        known = ~np.isnan(by_name)
        macro = np.where(known, by_name, 0).sum(axis=1) / known.sum(axis=1)
        micro = _f1(sums.sum(axis=1))
    return np.column_stack([by_name, macro, micro])


def _f1(counts: NDArray[np.float64]) -> Any:
    tp, fp, fn = counts[..., 0], counts[..., 1], counts[..., 2]
    return 2 * tp / (2 * tp + fp + fn)


Tables = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


def _bootstrap(tables: Tables, plan: Resampling) -> NDArray[np.float64]:
    """Return differences over clusters drawn with replacement; equal clusters are drawn as one group."""
    import numpy as np  # noqa: PLC0415 - see above

    clusters, names, _ = tables[0].shape
    both = np.concatenate([table.reshape(clusters, -1) for table in tables], axis=1)
    kinds, sizes = np.unique(both, axis=0, return_counts=True)
    random = np.random.default_rng(plan.seed)
    parts, done = [], 0
    while done < plan.resamples:
        size = min(plan.resamples - done, max(1, _CELLS // len(kinds)))
        weights = random.multinomial(clusters, sizes / clusters, size=size)
        sums = (weights @ kinds).reshape(size, 2, names, 3)
        parts.append(_scores(sums[:, 1]) - _scores(sums[:, 0]))
        done += size
    return np.concatenate(parts)


def _swaps(tables: Tables, plan: Resampling) -> NDArray[np.float64]:
    """Return differences after swapping the runs in clusters drawn at random."""
    import numpy as np  # noqa: PLC0415 - see above

    clusters, names, _ = tables[0].shape
    first, second = (table.reshape(clusters, -1) for table in tables)
    differ = (first != second).any(axis=1)
    change = (second - first)[differ]
    totals = first.sum(axis=0), second.sum(axis=0)
    random = np.random.default_rng(plan.seed + 1)
    parts, done = [], 0
    while done < plan.resamples:
        size = min(plan.resamples - done, max(1, _CELLS // max(1, len(change))))
        moved = random.integers(0, 2, size=(size, len(change))).astype(float) @ change
        one = _scores((totals[0] + moved).reshape(size, names, 3))
        parts.append(_scores((totals[1] - moved).reshape(size, names, 3)) - one)
        done += size
    return np.concatenate(parts)


def _percentiles(values: NDArray[np.float64], plan: Resampling) -> Interval | None:
    import numpy as np  # noqa: PLC0415 - see above

    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.percentile(known, [50 * (1 - plan.confidence), 50 * (1 + plan.confidence)])
    return Interval(float(low), float(high))


def _p(swapped: NDArray[np.float64], observed: float) -> float:
    import numpy as np  # noqa: PLC0415 - see above

    known = swapped[~np.isnan(swapped)]
    return float(((np.abs(known) >= abs(observed) - 1e-12).sum() + 1) / (len(known) + 1))
