"""The figures of two runs one by one: checks, tests, criteria and metrics, each with its own verdict."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from du_eval.runs.figures import Direction, Figure
from du_eval.runs.matching import Samples
from du_eval.runs.outcome import Outcome
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.clusters import Clusters
from du_eval.statistics.difference import Difference, Pair, cluster_sums, correct
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.paired_means import mean_difference
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.planning import SoughtVerdict, plan_items
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.significance import SWAPS, adjust_together
from du_eval.statistics.verdict import Criteria, Verdict


class Measure(Struct, frozen=True):
    """How one figure changed."""

    name: str
    figure: Figure
    before: float
    after: float
    found: Difference
    """The change itself; its intervals hold zero unless the corrected p is small."""
    strict: Interval
    """One-sided bounds at alpha that hold for all figures together."""
    margin: float
    """The difference that does not matter: as it is given for a share, else that share of the first value."""
    needed: int | None
    adjusted_p: float = 1.0
    verdict: Verdict = Verdict.UNDECIDED

    @property
    def gain(self) -> float | None:
        """The change to the better; None where nobody knows what is better."""
        return self._orient(self.found.value, self.found.value)

    @property
    def worst(self) -> float | None:
        """The gain at worst, at alpha one-sided."""
        return self._orient(self.found.narrow.low, self.found.narrow.high)

    @property
    def best(self) -> float | None:
        """The gain at best, at alpha one-sided over all figures: one that is below a loss has proven it."""
        return self._orient(self.strict.high, self.strict.low)

    def _orient(self, rise: float, fall: float) -> float | None:
        if self.figure.better is Direction.UNKNOWN:
            return None
        return -fall if self.figure.better is Direction.LOWER else rise


def compare_measures(
    pairs: Sequence[tuple[Samples, Samples]],
    clusters: Sequence[int],
    figures: Mapping[str, Figure],
    criteria: Criteria,
    without: Collection[str] = (),
) -> tuple[Measure, ...]:
    """Return the change of each score that both runs have; their p share one correction."""
    table: dict[str, list[Pair]] = {}
    for cluster, (one, other) in zip(clusters, pairs, strict=True):
        before, after = _means(one), _means(other)
        for name in (before.keys() & after.keys()).difference(without):
            table.setdefault(name, []).append(Pair(cluster, before[name], after[name]))
    table = {name: found for name, found in table.items() if name in figures or not _always_holds(found)}
    names = [*(name for name in figures if name in table), *sorted(table.keys() - figures.keys())]
    found = [
        _measured(name, table[name], figures.get(name) or _share(name), criteria, len(names))
        for name in names
    ]
    sums: list[dict[Hashable, float]] = [
        {cluster: total for cluster, (total, _) in cluster_sums(table[name]).items()} for name in names
    ]
    adjusted = adjust_together([one.found for one in found], sums, Resampling(SWAPS, criteria.seed))
    return tuple(_judged(one, p, criteria) for one, p in zip(found, adjusted, strict=True))


def _share(name: str) -> Figure:
    """Return what is known of a score that no figure is named after: a share, the more the better."""
    return Figure(name, Measurement(None, 0))


def _always_holds(pairs: Sequence[Pair]) -> bool:
    return all(pair.before == pair.after == 1 for pair in pairs)


def _means(samples: Samples) -> dict[str, float]:
    """Return the mean of each score over the samples that have it."""
    if len(samples) == 1:
        return dict(samples[0].scores)
    values: dict[str, list[float]] = {}
    for sample in samples:
        for name, value in sample.scores.items():
            values.setdefault(name, []).append(value)
    return {name: sum(found) / len(found) for name, found in values.items()}


def _measured(name: str, pairs: list[Pair], figure: Figure, criteria: Criteria, tests: int) -> Measure:
    n, alpha = len(pairs), criteria.alpha / tests
    before, after = sum(pair.before for pair in pairs) / n, sum(pair.after for pair in pairs) / n
    found, strict = (_compare(pairs, figure, replace(criteria, alpha=one)) for one in (criteria.alpha, alpha))
    margin = criteria.margin * (1.0 if figure.is_share else abs(before))
    return Measure(
        name, figure, before, after, found, strict.narrow, margin,
        plan_items(found, SoughtVerdict(margin, alpha)),
    )  # fmt: skip


def _compare(pairs: Sequence[Pair], figure: Figure, criteria: Criteria) -> Difference:
    compare = rate_difference if figure.is_share else mean_difference
    found = compare(pairs, criteria.alpha, criteria.seed)
    assert found is not None, "a figure is named where it occurs"
    return found


def _judged(measure: Measure, p: float, criteria: Criteria) -> Measure:
    found, verdict = correct(measure.found, p, criteria.alpha), Verdict.UNDECIDED
    if p < criteria.alpha:
        gain = measure.gain
        verdict = Verdict.CHANGED if gain is None else Verdict.IMPROVED if gain > 0 else Verdict.REGRESSED
    elif -measure.margin < found.narrow.low and found.narrow.high < measure.margin:
        verdict = Verdict.EQUIVALENT
    return replace(measure, found=found, adjusted_p=p, verdict=verdict)


def verdict_over(measures: Sequence[Measure]) -> Verdict:
    """Return one word about figures with a verdict each: one that regressed is enough to say so."""
    known = [one.verdict for one in measures if one.figure.better is not Direction.UNKNOWN]
    for verdict in (Verdict.REGRESSED, Verdict.IMPROVED):
        if verdict in known:
            return verdict
    if known and all(verdict is Verdict.EQUIVALENT for verdict in known):
        return Verdict.EQUIVALENT
    return Verdict.UNDECIDED


def nearest(measures: Sequence[Measure]) -> tuple[str, int] | None:
    """Return the undecided figure that needs the fewest more items, and how many it needs."""
    return min(_waiting(measures), key=lambda item: (item[1], item[0]), default=None)


def _waiting(measures: Sequence[Measure]) -> Iterator[tuple[str, int]]:
    for one in measures:
        is_open = one.verdict is Verdict.UNDECIDED and one.figure.better is not Direction.UNKNOWN
        if is_open and one.needed is not None:
            yield one.name, one.needed - one.found.n


Place = tuple[str, str, str]
_Sums = dict[str, dict[Place, tuple[int, int]]]


F1_SHARE = "f1."
"""How names of the shares tp / (tp + fp + fn) begin, of which F1 is a function."""


def cluster_rates(run: RunRecord) -> Mapping[str, Clusters]:
    """Return successes and attempts of each conversation, for every rate of a run."""
    found: _Sums = {}
    for step in run.steps:
        place = step.file, step.case, step.variant
        for name, good, attempts in _list_rates(step, decides=run.decides):
            sums = found.setdefault(name, {})
            before = sums.get(place, (0, 0))
            sums[place] = before[0] + good, before[1] + attempts
    return {name: list(sums.values()) for name, sums in found.items()}


def _list_rates(step: StepRecord, *, decides: bool) -> Iterable[tuple[str, int, int]]:
    """Yield what a step adds to each rate: of passed steps, of labels, and of checks that hold or not."""
    if not step.is_judged:
        return
    if decides:
        yield "accuracy", int(step.outcome == Outcome.PASSED), 1
    for name, counts in step.counts.items():
        key = name.replace(" ", "_")
        yield f"precision.{key}", counts.tp, counts.tp + counts.fp
        yield f"recall.{key}", counts.tp, counts.tp + counts.fn
        yield f"{F1_SHARE}{key}", counts.tp, counts.tp + counts.fp + counts.fn
    for name, value in step.scores.items():
        if value in (0.0, 1.0):
            yield name, int(value), 1
