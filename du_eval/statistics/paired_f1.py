"""Differences of F1 between two runs over the same conversations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from du_eval.statistics.counts import pool_counts
from du_eval.statistics.difference import Difference, Unseen, agree, correct, find_unseen
from du_eval.statistics.f1 import Cases, count_table
from du_eval.statistics.f1_bootstrap import CELLS, Tables, bootstrap_intervals, count_clusters, f1_scores
from du_eval.statistics.intervals import Interval
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.significance import adjust_unseen, draw_swaps, step_down

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Swaps = tuple[Floats, bool]

METHOD = "swaps+bootstrap"
_AVERAGES = ("macro", "micro")


class F1Change(Struct, frozen=True):
    """The F1 of a command, or of all of them, in two runs; undefined where one of them is."""

    name: str
    before: float | None
    after: float | None
    n: int
    """How often the command was expected."""
    found: Difference | None = None
    adjusted_p: float | None = None
    """p after correction for the number of commands."""

    @property
    def value(self) -> float | None:
        """What the second run does better."""
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def interval(self) -> Interval | None:
        """The interval of the difference."""
        return self.found.interval if self.found else None

    @property
    def p(self) -> float | None:
        """How likely so large a difference is if neither run is better."""
        return self.found.p if self.found else None


class F1Changes(Struct, frozen=True):
    """The changes of single commands, and of their averages: a command may be called like an average."""

    commands: Mapping[str, F1Change] = field(default_factory=dict)
    averages: Mapping[str, F1Change] = field(default_factory=dict)


def f1_differences(before: Cases, after: Cases, plan: Resampling | None = None) -> F1Changes:
    """Return the difference of F1 by name, and of `macro` and `micro` over all names.

    Intervals come from drawing whole clusters with replacement, the same ones for both runs, see
    `f1_bootstrap`; p from swapping the two runs in clusters, which is fair if neither run is better. Commands
    share one correction: the step-down maximum test over the same swaps.
    """
    plan = plan or Resampling()
    names = sorted({name for cluster in (*before, *after) for name in cluster})
    if not names:
        return F1Changes()
    tables = count_table(before, names), count_table(after, names)
    first, second = (f1_scores(table.sum(axis=0)[None])[0] for table in tables)
    swaps = _swaps(tables, plan)
    found = _differences(tables, second - first, swaps, plan)
    adjusted = _adjusted((second - first)[: len(names)], swaps)
    commands = [column for column in found if column < len(names)]
    unseen = dict(zip(commands, adjust_unseen([found[one].unseen for one in commands]), strict=True))
    total = pool_counts(list(after))
    counts = [total[name].total if name in total else 0 for name in names]
    changes = []
    for column, name in enumerate([*names, *_AVERAGES]):
        one, p, n = found.get(column), None, sum(counts)
        if column < len(names):
            n = counts[column]
            p = max(adjusted[column], unseen[column], one.p) if one else None
        if one and p is not None:
            one = correct(one, p, 1 - plan.confidence)
        changes.append(F1Change(name, _known(first[column]), _known(second[column]), n, one, p))
    return F1Changes(
        {one.name: one for one in changes[: len(names)]}, {one.name: one for one in changes[len(names) :]}
    )


def _differences(tables: Tables, estimates: Floats, swaps: Swaps, plan: Resampling) -> dict[int, Difference]:
    """Return the difference of each column whose scores are known."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    intervals = bootstrap_intervals(tables, estimates, plan)
    swapped, is_all = swaps
    held, changed = count_clusters(tables)
    unseen = _unseen(tables)
    found = {}
    for column, interval in intervals.items():
        value = float(estimates[column])
        p = max(_p(swapped[:, column], value, is_all=is_all), unseen[column].p())
        sure = agree(interval, p, 1 - plan.confidence, is_gain=value > 0)
        found[column] = Difference(
            value, held[column], p, sure, sure, held[column], changed[column],
            f"{METHOD}:{plan.confidence:g}", unseen=unseen[column],
        )  # fmt: skip
    return {column: one for column, one in found.items() if not np.isnan(one.value)}


def _unseen(tables: Tables) -> list[Unseen]:
    """Return what is unseen of each name, and of all names together for each average.

    A change is counted in commands that are found or lost, by what it adds to F1.
    """
    import numpy as np  # noqa: PLC0415 - see above

    found = []
    for first, second in zip(*map(_with_averages, tables), strict=True):
        counts = (first + second).sum(axis=0)
        half = counts[0] / max(1.0, 2 * counts[0] + counts[1] + counts[2])
        change = (second - first) @ np.array([1 - 2 * half, -half, -half]) / (1 - half)
        is_there = (first + second).sum(axis=1) > 0
        sizes = np.maximum(1.0, np.maximum(*(table[:, [0, 2]].sum(axis=1) for table in (first, second))))
        found.append(find_unseen(list(zip(change[is_there].tolist(), sizes[is_there].tolist(), strict=True))))
    return found


def _with_averages(table: Floats) -> Floats:
    """Return names x conversations x (tp, fp, fn), with all names together once for each average."""
    import numpy as np  # noqa: PLC0415 - see above

    together = table.sum(axis=1, keepdims=True)
    return np.concatenate([table, *[together] * len(_AVERAGES)], axis=1).swapaxes(0, 1)


def _adjusted(estimates: Floats, swaps: Swaps) -> list[float]:
    """Return p of each command after correction; changes are measured by how much swaps move them."""
    import numpy as np  # noqa: PLC0415 - see above

    swapped, is_all = swaps
    of_commands = np.nan_to_num(swapped[:, : len(estimates)])
    spread = np.sqrt((of_commands * of_commands).mean(axis=0))
    return step_down(estimates, of_commands, spread, is_all=is_all)


def _known(value: Any) -> float | None:
    return None if value != value else float(value)  # noqa: PLR0124 - NaN is what differs from itself


def _swaps(tables: Tables, plan: Resampling) -> Swaps:
    """Return differences after swapping the runs in clusters, and whether these are all that there are."""
    import numpy as np  # noqa: PLC0415 - see above

    clusters, names, _ = tables[0].shape
    first, second = (table.reshape(clusters, -1) for table in tables)
    differ = (first != second).any(axis=1)
    change = (second - first)[differ]
    totals = first.sum(axis=0), second.sum(axis=0)
    patterns, is_all = draw_swaps(len(change), plan)
    parts = []
    for part in np.array_split(patterns, max(1, patterns.size // CELLS)):
        moved = part @ change
        one = f1_scores((totals[0] + moved).reshape(len(part), names, 3))
        parts.append(f1_scores((totals[1] - moved).reshape(len(part), names, 3)) - one)
    return np.concatenate(parts), is_all


def _p(swapped: Floats, observed: float, *, is_all: bool) -> float:
    import numpy as np  # noqa: PLC0415 - see above

    known = swapped[~np.isnan(swapped)]
    hits = int((np.abs(known) >= abs(observed) - 1e-12).sum())
    return hits / len(known) if is_all else (hits + 1) / (len(known) + 1)
