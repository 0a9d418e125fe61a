"""How understanding suffers when messages are changed: level by level, against the same steps unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.evaluation.goals import FrameKey
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.counts import pool_counts
from du_eval.statistics.difference import Difference
from du_eval.statistics.f1 import METHOD, f1_intervals
from du_eval.statistics.intervals import Measurement
from du_eval.statistics.verdict import Criteria, Verdict, decide_verdict

if TYPE_CHECKING:
    from du_eval.runs.comparison import Comparison

Places = frozenset[tuple[str, str, int]]


class PerturbedRun(Struct, frozen=True):
    """A run over changed messages."""

    kind: str
    level: float
    realised: float
    record: RunRecord
    places: Places | None = None
    """The steps that were changed, where not all of them were."""


class LevelF1(Struct, frozen=True, omit_defaults=True):
    """F1 of a command at a level, and of the same steps unchanged."""

    measured: Measurement
    unchanged: float | None
    verdict: Verdict


class LevelResult(Struct, frozen=True, omit_defaults=True):
    """What a level of a perturbation does."""

    kind: str
    level: float
    realised: float
    n: int
    """How many steps were compared."""
    accuracy: float | None = None
    unchanged: float | None = None
    difference: Difference | None = None
    verdict: Verdict = Verdict.UNDECIDED
    f1: Mapping[str, LevelF1] = field(default_factory=dict)
    reversal: str = ""
    """Why steps that were not judged leave the verdict open; empty where they do not."""
    measured: Measurement = Measurement(None, 0)
    """Accuracy of all judged steps of the level."""


class Robustness(Struct, frozen=True, omit_defaults=True):
    """All levels of all perturbations, and where each breaks the understanding."""

    levels: tuple[LevelResult, ...]
    breaking: Mapping[str, float | None]
    """The lowest level from which on accuracy is proven to be lower; None where there is none."""

    def is_proven_harmless(self, kind: str) -> bool:
        """Tell whether each level of a perturbation is proven to change less than the margin."""
        return all(one.verdict is Verdict.EQUIVALENT for one in self.levels if one.kind == kind)


def measure_robustness(
    base: RunRecord, runs: Sequence[PerturbedRun], criteria: Criteria | None = None
) -> Robustness:
    """Compare each level with the unchanged steps; all levels of all perturbations share one correction."""
    from du_eval.runs.comparison import compare_runs, correct_verdicts  # noqa: PLC0415 - only these runs compare

    criteria = criteria or Criteria(margin=0.05)
    found = [
        compare_runs(_comparable(base, run.places), _comparable(run.record, run.places), criteria)
        for run in runs
    ]
    corrected = correct_verdicts(found, criteria.seed)
    levels = tuple(_level(run, one, criteria) for run, one in zip(runs, corrected, strict=True))
    kinds = dict.fromkeys(run.kind for run in runs)
    return Robustness(
        levels, {kind: _breaking([one for one in levels if one.kind == kind]) for kind in kinds}
    )


def _level(run: PerturbedRun, found: Comparison, criteria: Criteria) -> LevelResult:
    unchanged, accuracy = found.rates or (None, None)
    cases: dict[tuple[str, str, str], list[StepRecord]] = {}
    for step in found.after.steps:
        cases.setdefault((step.file, step.case, step.variant), []).append(step)
    f1 = _f1(list(cases.values()), criteria)
    return LevelResult(
        run.kind,
        run.level,
        run.realised,
        found.overlap.common,
        accuracy,
        unchanged,
        found.accuracy,
        _judge(found, found.accuracy, found.verdict),
        {
            change.f1.name: LevelF1(
                f1[change.f1.name], change.f1.before, _judge(found, change.f1.found, change.verdict)
            )
            for change in found.commands
            if change.f1.name in f1
        },
        found.reversal if found.is_reversible else "",
        clustered_proportion([_count_passed(case) for case in cases.values()], 1 - criteria.alpha),
    )


def _judge(found: Comparison, difference: Difference | None, told: Verdict) -> Verdict:
    """Return the verdict; equal answers to changed messages prove no more than their number does."""
    return decide_verdict(difference, found.criteria) if found.is_unchanged and difference else told


def _count_passed(case: Sequence[StepRecord]) -> tuple[int, int]:
    outcomes = Counter(step.outcome for step in case)
    return outcomes["passed"], outcomes["passed"] + outcomes["failed"]


def _f1(cases: Sequence[Sequence[StepRecord]], criteria: Criteria) -> dict[str, Measurement]:
    """Return F1 by command, with the conversation as the unit of chance."""
    clusters = [pool_counts([step.counts for step in case]) for case in cases]
    intervals = f1_intervals(clusters, 1 - criteria.alpha).commands
    return {
        name: Measurement(
            counts.f1, counts.total, intervals.get(name), method=f"{METHOD}:{1 - criteria.alpha:g}"
        )
        for name, counts in sorted(pool_counts(clusters).items())
    }


def _comparable(run: RunRecord, places: Places | None) -> RunRecord:
    """Return the run with steps that are matched by their place, since their messages differ."""
    steps = (step for step in run.steps if places is None or (step.file, step.case, step.step) in places)
    return replace(run, steps=tuple(replace(step, question="") for step in steps))


def _breaking(levels: Sequence[LevelResult]) -> float | None:
    found: float | None = None
    for one in sorted(levels, key=lambda one: one.level, reverse=True):
        if one.verdict is not Verdict.REGRESSED:
            break
        found = one.level
    return found


class Sensitivity(Struct, frozen=True):
    """How much the joint goal of the same frames depends on the words of the schema."""

    value: float | None
    """The mean over frames of standard deviation by mean; a frame that is never right counts as 0."""
    n: int
    means: tuple[float, ...]
    """The joint goal accuracy of each run, over the frames that all runs have."""


def measure_sensitivity(runs: Sequence[Mapping[FrameKey, float]]) -> Sensitivity:
    """Return the schema sensitivity of at least two runs over the frames that all of them have."""
    shared = [key for key in runs[0] if all(key in run for run in runs)]
    if not shared or len(runs) < 2:
        return Sensitivity(None, len(shared), ())
    ratios = []
    for key in shared:
        values = [run[key] for run in runs]
        mean = fmean(values)
        ratios.append(stdev(values) / mean if mean else 0.0)
    return Sensitivity(fmean(ratios), len(shared), tuple(fmean(run[key] for key in shared) for run in runs))
