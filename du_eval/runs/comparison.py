"""Two runs over the same steps: what changed, and whether that is more than chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from du_eval.errors import InputError
from du_eval.runs.matching import CaseName, Overlap, Samples, match_steps, name_case, pair_steps, share_passed
from du_eval.runs.measures import Measure, compare_measures, verdict_over
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.counts import Counts, pool_counts
from du_eval.statistics.difference import Difference, correct
from du_eval.statistics.paired_f1 import F1Change, F1Changes, f1_differences
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.planning import RepeatedItem, SoughtVerdict, plan_items, plan_samples
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.significance import SWAPS, adjust_together, exact_mcnemar
from du_eval.statistics.verdict import Criteria, Verdict, decide_verdict


class Change(Struct, frozen=True):
    """One step that one run got right and the other wrong."""

    before: StepRecord
    after: StepRecord
    difference: float


class CommandChange(Struct, frozen=True):
    """How the F1 of a command changed."""

    f1: F1Change
    verdict: Verdict


class Comparison(Struct, frozen=True):
    """Everything about two runs."""

    before: RunRecord
    after: RunRecord
    overlap: Overlap
    accuracy: Difference | None
    rates: tuple[float, float] | None
    """The accuracy of each run over the common steps."""
    mcnemar_p: float | None
    verdict: Verdict
    more_needed: int | None
    commands: tuple[CommandChange, ...]
    averages: Mapping[str, F1Change]
    worse: tuple[Change, ...]
    better: tuple[Change, ...]
    mistakes: Mapping[str, tuple[int, int]]
    criteria: Criteria
    adjusted_p: float | None = None
    """The p of the accuracy after correction, where several runs are compared with one."""
    samples_needed: int | None = None
    """How many samples of each step would decide, where steps were asked several times."""
    measured_otherwise: tuple[str, ...] = ()
    """Scores that both runs have, and that are not compared because they were measured in other ways."""
    measures: tuple[Measure, ...] = ()
    """Checks, tests, criteria or metrics, one by one."""
    is_unchanged: bool = False
    """Whether both runs answered everything alike."""
    bounds: tuple[Difference, Difference] | None = None
    """The accuracy if all steps that errored had gone against the second run, and for it; None without."""
    is_reversible: bool = False
    """Whether there is no verdict because these steps could reverse it."""

    @property
    def reversal(self) -> str:
        """How far steps that were not judged could move the change; empty without such steps."""
        if self.bounds is None:
            return ""
        worst, best = self.bounds
        return (
            f"{self.overlap.not_judged} {self.after.unit} were not judged, and could reverse it: with them, "
            f"the change lies between {worst.value:+.3f} and {best.value:+.3f}"
        )

    @property
    def shared(self) -> str:
        """What both runs were asked, in words."""
        common, unit = self.overlap.common, self.after.unit
        return f"all {common} {unit}" if common != 1 else "the only question they share"

    @property
    def decides(self) -> bool:
        """Tell whether the share of passed steps decides, and not the measures."""
        return self.after.decides


def compare_runs(before: RunRecord, after: RunRecord, criteria: Criteria | None = None) -> Comparison:
    """Compare two runs of one activity, step by step."""
    if before.activity != after.activity:
        raise InputError(
            f"'{before.name}' is a run of du-eval {before.activity} and '{after.name}' one of du-eval "
            f"{after.activity}: only runs of the same kind can be compared"
        )
    criteria = criteria or Criteria()
    pairs, overlap = match_steps(before, after)
    found = list(pair_steps(pairs))
    otherwise, decides = _measured_otherwise(before, after), after.decides
    figures = {**before.figures, **after.figures}
    measures = compare_measures(pairs, [pair.cluster for pair in found], figures, criteria, otherwise)
    accuracy = rate_difference(found, criteria.alpha, criteria.seed) if decides else None
    is_unchanged = answer_alike(pairs)
    if is_unchanged:
        measures = tuple(replace(one, verdict=Verdict.EQUIVALENT, needed=None) for one in measures)
    bounds = _bounds(pairs, overlap, criteria) if decides else None
    verdict = decide_verdict(accuracy, criteria) if accuracy else verdict_over(() if decides else measures)
    verdict = Verdict.EQUIVALENT if is_unchanged else verdict
    is_reversible = _is_reversible(verdict, bounds, criteria, is_unchanged=is_unchanged)
    is_unchanged = is_unchanged and not is_reversible
    f1 = _f1(pairs, criteria)
    changes = [change for one, other in pairs if (change := _change(one, other)).difference]
    more = None if is_unchanged or is_reversible else _more_needed(accuracy, criteria)
    return Comparison(
        before=before,
        after=after,
        overlap=overlap,
        accuracy=accuracy,
        rates=(fmean(one.before for one in found), fmean(one.after for one in found)) if accuracy else None,
        mcnemar_p=_mcnemar(changes, pairs) if decides else None,
        verdict=Verdict.UNDECIDED if is_reversible else verdict,
        more_needed=more,
        samples_needed=plan_samples(_repeated(pairs), None if more is None else len(pairs) + more),
        commands=tuple(_commands(list(f1.commands.values()), criteria, is_unchanged=is_unchanged)),
        averages=f1.averages,
        worse=tuple(change for change in changes if change.difference < 0),
        better=tuple(change for change in changes if change.difference > 0),
        mistakes=_mistakes(pairs),
        criteria=criteria,
        measured_otherwise=otherwise,
        measures=measures,
        is_unchanged=is_unchanged,
        bounds=bounds,
        is_reversible=is_reversible,
    )


def answer_alike(pairs: Sequence[tuple[Samples, Samples]]) -> bool:
    """Tell whether both runs answered everything that both were asked alike."""
    return bool(pairs) and all(_answers(one) == _answers(other) for one, other in pairs)


def _answers(samples: Samples) -> list[tuple[str, tuple[str, ...], Mapping[str, float]]]:
    return [(sample.outcome, sample.predicted, sample.scores) for sample in samples]


def _more_needed(accuracy: Difference | None, criteria: Criteria) -> int | None:
    """Return about how many more items would decide, at a chance of 80 %."""
    if accuracy is None:
        return None
    needed = plan_items(accuracy, SoughtVerdict(criteria.margin, criteria.alpha))
    return None if needed is None else needed - accuracy.n


def _bounds(
    pairs: Sequence[tuple[Samples, Samples]], overlap: Overlap, criteria: Criteria
) -> tuple[Difference, Difference] | None:
    """Return the difference if steps that were not judged count against the second run, and for it."""
    if not overlap.unjudged or not pairs:
        return None
    every = [*pairs, *overlap.unjudged]
    worst = rate_difference(list(pair_steps(every, (1.0, 0.0))), criteria.alpha, criteria.seed)
    best = rate_difference(list(pair_steps(every, (0.0, 1.0))), criteria.alpha, criteria.seed)
    return (worst, best) if worst and best else None


def _is_reversible(
    verdict: Verdict, bounds: tuple[Difference, Difference] | None, criteria: Criteria, *, is_unchanged: bool
) -> bool:
    """Tell whether the verdict would be another one, had all that errored gone one way."""
    if bounds is None or verdict is Verdict.UNDECIDED:
        return False
    if is_unchanged:
        return any(abs(one.value) >= criteria.margin for one in bounds)
    return any(decide_verdict(one, criteria) is not verdict for one in bounds)


def _measured_otherwise(before: RunRecord, after: RunRecord) -> tuple[str, ...]:
    return tuple(
        name
        for name, figure in before.figures.items()
        if name in after.figures and figure.method != after.figures[name].method
    )


def compare_with_baseline(
    baseline: RunRecord, others: Sequence[RunRecord], criteria: Criteria | None = None
) -> list[Comparison]:
    """Compare several runs with one; their p are corrected for the number of runs.

    Where no single figure decides, alpha is divided by the number of runs instead.
    """
    criteria = criteria or Criteria()
    if not baseline.decides:
        shared = replace(criteria, alpha=criteria.alpha / max(1, len(others)))
        return [compare_runs(baseline, other, shared) for other in others]
    found = [compare_runs(baseline, other, criteria) for other in others]
    return correct_verdicts(found, criteria.seed)


def correct_verdicts(found: Sequence[Comparison], seed: int) -> list[Comparison]:
    """Return comparisons whose p are corrected for their number, by swaps of whole conversations in all."""
    if len(found) < 2:
        return list(found)
    known = [one for one in found if one.accuracy is not None]
    differences = [one.accuracy for one in known if one.accuracy is not None]
    adjusted = iter(adjust_together(differences, [*map(_changes_by_case, known)], Resampling(SWAPS, seed)))
    return [correct_verdict(one, next(adjusted)) if one.accuracy else one for one in found]


def _changes_by_case(comparison: Comparison) -> dict[Hashable, float]:
    found: dict[Hashable, float] = {}
    for change in (*comparison.worse, *comparison.better):
        case = name_case((change.before,))
        found[case] = found.get(case, 0.0) + change.difference
    return found


def correct_verdict(comparison: Comparison, p: float) -> Comparison:
    """Return a comparison that is one of several: its verdict and its advice go by p after correction."""
    accuracy, criteria = comparison.accuracy, comparison.criteria
    if accuracy is None or comparison.is_unchanged or comparison.is_reversible:
        return comparison
    share = accuracy.p / p if p > 0 else 1.0
    return replace(
        comparison,
        accuracy=correct(accuracy, p, criteria.alpha),
        adjusted_p=p,
        verdict=decide_verdict(accuracy, criteria, p),
        more_needed=_more_needed(accuracy, replace(criteria, alpha=criteria.alpha * share)),
    )


def _repeated(pairs: Iterable[tuple[Samples, Samples]]) -> list[RepeatedItem]:
    return [
        RepeatedItem(share_passed(one), share_passed(other), (len(one), len(other))) for one, other in pairs
    ]


def _change(one: Samples, other: Samples) -> Change:
    worst = [next((s for s in samples if s.outcome == "failed"), samples[0]) for samples in (one, other)]
    return Change(worst[0], worst[1], share_passed(other) - share_passed(one))


def _mcnemar(changes: Sequence[Change], pairs: Sequence[tuple[Samples, Samples]]) -> float | None:
    """Return the exact McNemar p, where each step was asked once; it takes steps as independent."""
    if not pairs or any(len(one) != 1 or len(other) != 1 for one, other in pairs):
        return None
    better = sum(change.difference > 0 for change in changes)
    return exact_mcnemar(better, len(changes) - better)


def _f1(pairs: Sequence[tuple[Samples, Samples]], criteria: Criteria) -> F1Changes:
    before: dict[CaseName, list[Mapping[str, Counts]]] = {}
    after: dict[CaseName, list[Mapping[str, Counts]]] = {}
    for one, other in pairs:
        case = name_case(one)
        before.setdefault(case, []).extend(sample.counts for sample in one)
        after.setdefault(case, []).extend(sample.counts for sample in other)
    plan = Resampling(seed=criteria.seed, confidence=1 - criteria.alpha)
    return f1_differences(
        [pool_counts(v) for v in before.values()], [pool_counts(v) for v in after.values()], plan
    )


def _commands(
    found: Sequence[F1Change], criteria: Criteria, *, is_unchanged: bool
) -> Iterator[CommandChange]:
    """Yield the change of each command with its verdict."""
    for change in found:
        verdict = (
            decide_verdict(change.found, criteria, change.adjusted_p) if change.found else Verdict.UNDECIDED
        )
        verdict = Verdict.EQUIVALENT if is_unchanged else verdict
        yield CommandChange(change, verdict)


def _mistakes(pairs: Sequence[tuple[Samples, Samples]]) -> dict[str, tuple[int, int]]:
    before, after = (
        Counter(kind for sides in pairs for sample in sides[side] for kind in sample.mistakes)
        for side in (0, 1)
    )
    ranked = sorted(before | after, key=lambda kind: (-before[kind] - after[kind], kind))
    return {kind: (before[kind], after[kind]) for kind in ranked}
