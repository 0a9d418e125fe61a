"""The exposure gap: how much worse a generator gets when it must live with its own mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from du_eval.evaluation.aggregate import CONFIDENCE, pairing_counts
from du_eval.evaluation.results import CaseResult, RunResult, StepResult
from du_eval.runs.outcome import Outcome
from du_eval.statistics.clusters import clustered_proportion, proportion
from du_eval.statistics.counts import summed
from du_eval.statistics.difference import Difference, Pair
from du_eval.statistics.intervals import Measurement
from du_eval.statistics.paired_rates import rate_difference


@dataclass(frozen=True, slots=True)
class Level:
    """How well steps are understood."""

    accuracy: Measurement
    f1: float | None


@dataclass(frozen=True, slots=True)
class TurnGap:
    """One turn of all dialogues, with the gold history and with the generator's own."""

    turn: int
    gold: Level
    predicted: Level


@dataclass(frozen=True, slots=True)
class ExposureGap:
    """What changes with the generator's own history."""

    gold: Level
    predicted: Level
    turns: tuple[TurnGap, ...]
    cases: int
    diverged: Measurement
    """The share of cases that leave the gold path."""
    first_divergences: tuple[tuple[int, int], ...]
    """How many cases leave it first after which user step."""
    recovery: Measurement
    """The share of those cases, as far as they have steps left, that come back to it."""
    reused: int
    asked: int
    difference: Difference | None = None
    """What the generator's own history changes, over the steps that were judged with both."""

    @property
    def value(self) -> float | None:
        """The loss of accuracy."""
        if self.gold.accuracy.value is None or self.predicted.accuracy.value is None:
            return None
        return self.gold.accuracy.value - self.predicted.accuracy.value


def exposure_gap(run: RunResult) -> ExposureGap | None:
    """Return the gap of a run that was made with both histories."""
    cases = [case for case in run.cases if case.drive is not None]
    if run.history != "both" or not cases:
        return None
    drives = [case.drive for case in cases if case.drive is not None]
    diverged = [drive for drive in drives if drive.diverged_at is not None]
    with_rest = [drive for drive in diverged if (drive.diverged_at or 0) < len(drive.steps)]
    recovered = sum(drive.recovered_at is not None for drive in with_rest)
    first: dict[int, int] = {}
    for drive in diverged:
        first[drive.diverged_at or 0] = first.get(drive.diverged_at or 0, 0) + 1
    return ExposureGap(
        gold=_level([case.steps for case in cases]),
        predicted=_level([drive.steps for drive in drives]),
        turns=tuple(_turns(cases)),
        cases=len(cases),
        diverged=proportion(len(diverged), len(drives), CONFIDENCE),
        first_divergences=tuple(sorted(first.items())),
        recovery=proportion(recovered, len(with_rest), CONFIDENCE),
        reused=sum(drive.reused for drive in drives),
        asked=sum(len(drive.steps) - drive.reused for drive in drives),
        difference=rate_difference(list(_pairs(cases))),
    )


def _pairs(cases: Sequence[CaseResult]) -> Iterator[Pair]:
    """Yield the steps that were judged with both histories; the conversation is the cluster."""
    for number, case in enumerate(cases):
        for gold, own in zip(case.steps, case.drive.steps if case.drive else (), strict=False):
            if Outcome.ERRORED not in {gold.outcome, own.outcome}:
                yield Pair(
                    number, float(gold.outcome is Outcome.PASSED), float(own.outcome is Outcome.PASSED)
                )


def _turns(cases: Sequence[CaseResult]) -> Iterable[TurnGap]:
    longest = max(len(case.steps) for case in cases)
    for turn in range(longest):
        gold = [(case.steps[turn],) for case in cases if turn < len(case.steps)]
        own = [(case.drive.steps[turn],) for case in cases if case.drive and turn < len(case.drive.steps)]
        yield TurnGap(turn + 1, _level(gold), _level(own))


def _level(groups: Sequence[Sequence[StepResult]]) -> Level:
    judged = [[step for step in group if step.outcome is not Outcome.ERRORED] for group in groups]
    clusters = [(sum(step.outcome is Outcome.PASSED for step in group), len(group)) for group in judged]
    counts = summed(count for group in judged for step in group for count in pairing_counts(step).values())
    return Level(clustered_proportion(clusters, CONFIDENCE), counts.f1)
