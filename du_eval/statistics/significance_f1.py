"""Differences of F1 between two runs over the same conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from du_eval.statistics.counts import Counts, pooled
from du_eval.statistics.f1_bootstrap import CELLS, Resampling, Tables, bootstrap_intervals, f1_scores
from du_eval.statistics.intervals import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Clusters = Sequence[Mapping[str, Counts]]
_AVERAGES = ("macro", "micro")


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
class F1Differences:
    """The differences of single commands, and of their averages: a command may be called like an average."""

    commands: Mapping[str, F1Difference] = field(default_factory=dict)
    averages: Mapping[str, F1Difference] = field(default_factory=dict)


def f1_differences(before: Clusters, after: Clusters, plan: Resampling | None = None) -> F1Differences:
    """Return the difference of F1 by name, and of `macro` and `micro` over all names.

    Intervals come from drawing whole clusters with replacement, the same ones for both runs, see
    `f1_bootstrap`; p from swapping the two runs in clusters drawn at random, which is fair if neither run is
    better.
    """
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    plan = plan or Resampling()
    names = sorted({name for cluster in (*before, *after) for name in cluster})
    if not names:
        return F1Differences()
    tables = _table(before, names), _table(after, names)
    first, second = (f1_scores(table.sum(axis=0)[None])[0] for table in tables)
    total = pooled(list(after))
    counts = [total[name].total if name in total else 0 for name in names]
    estimates = second - first
    intervals = bootstrap_intervals(tables, estimates, plan) if len(before) > 1 else {}
    swapped = _swaps(tables, plan)
    found = []
    for column, name in enumerate([*names, *_AVERAGES]):
        value = estimates[column]
        one = F1Difference(
            name,
            _known(first[column]),
            _known(second[column]),
            counts[column] if column < len(names) else sum(counts),
            intervals.get(column),
            None if np.isnan(value) else _p(swapped[:, column], float(value)),
        )
        found.append(one)
    return F1Differences(
        {one.name: one for one in found[: len(names)]}, {one.name: one for one in found[len(names) :]}
    )


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
        size = min(plan.resamples - done, max(1, CELLS // max(1, len(change))))
        moved = random.integers(0, 2, size=(size, len(change))).astype(float) @ change
        one = f1_scores((totals[0] + moved).reshape(size, names, 3))
        parts.append(f1_scores((totals[1] - moved).reshape(size, names, 3)) - one)
        done += size
    return np.concatenate(parts)


def _p(swapped: NDArray[np.float64], observed: float) -> float:
    import numpy as np  # noqa: PLC0415 - see above

    known = swapped[~np.isnan(swapped)]
    return float(((np.abs(known) >= abs(observed) - 1e-12).sum() + 1) / (len(known) + 1))
