"""The exposure gap: how much worse a generator gets when it must live with its own mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from du_eval.evaluation.aggregate import CONFIDENCE, pairing_counts
from du_eval.evaluation.step import DriveSeen, JudgedCase, JudgedStep
from du_eval.runs.outcome import Outcome
from du_eval.statistics.clusters import clustered_proportion, proportion
from du_eval.statistics.counts import summed
from du_eval.statistics.difference import Difference, Pair
from du_eval.statistics.intervals import Measurement
from du_eval.statistics.paired_rates import rate_difference


class Level(Struct, frozen=True, omit_defaults=True):
    """How well steps are understood."""

    accuracy: Measurement
    f1: float | None


class TurnGap(Struct, frozen=True, omit_defaults=True):
    """One turn of all dialogues, with the gold history and with the generator's own."""

    turn: int
    gold: Level
    predicted: Level


class ExposureGap(Struct, frozen=True, omit_defaults=True):
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


Both = tuple[JudgedCase, DriveSeen]
"""A case with the gold history, and with the generator's own."""


def exposure_gap(cases: Sequence[Both]) -> ExposureGap | None:
    """Return the gap of the cases that were asked with both histories."""
    if not cases:
        return None
    drives = [drive for _, drive in cases]
    diverged = [drive for drive in drives if drive.diverged_at is not None]
    with_rest = [drive for drive in diverged if (drive.diverged_at or 0) < len(drive.steps)]
    recovered = sum(drive.recovered_at is not None for drive in with_rest)
    first: dict[int, int] = {}
    for drive in diverged:
        first[drive.diverged_at or 0] = first.get(drive.diverged_at or 0, 0) + 1
    return ExposureGap(
        gold=_level([case.results for case, _ in cases]),
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


def _pairs(cases: Sequence[Both]) -> Iterator[Pair]:
    """Yield the steps that were judged with both histories; the conversation is the cluster."""
    for number, (case, drive) in enumerate(cases):
        for gold, own in zip(case.results, drive.steps, strict=False):
            if Outcome.ERRORED not in {gold.outcome, own.outcome}:
                yield Pair(
                    number, float(gold.outcome is Outcome.PASSED), float(own.outcome is Outcome.PASSED)
                )


def _turns(cases: Sequence[Both]) -> Iterable[TurnGap]:
    longest = max(len(case.results) for case, _ in cases)
    for turn in range(longest):
        gold = [(case.results[turn],) for case, _ in cases if turn < len(case.results)]
        own = [(drive.steps[turn],) for _, drive in cases if turn < len(drive.steps)]
        yield TurnGap(turn + 1, _level(gold), _level(own))


def _level(groups: Sequence[Sequence[JudgedStep]]) -> Level:
    judged = [[step for step in group if step.outcome is not Outcome.ERRORED] for group in groups]
    clusters = [(sum(step.outcome is Outcome.PASSED for step in group), len(group)) for group in judged]
    counts = summed(count for group in judged for step in group for count in pairing_counts(step).values())
    return Level(clustered_proportion(clusters, CONFIDENCE), counts.f1)
