"""What is asked next: each case in its samples, and no sample more than is needed for a verdict."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from du_eval.evaluation.plan import Probe
from du_eval.evaluation.results import Outcome, StepResult, sample_outcome
from du_eval.statistics.success import SuccessRatio


@dataclass(frozen=True, slots=True)
class Sampling:
    """How often each case is asked, and which share of that must pass."""

    samples: int | None = None
    """None: as often as the case's ratio says, or once."""
    ratio: SuccessRatio | None = None
    """For cases that have none of their own."""
    asks_all: bool = False
    """Go on after the verdict is certain, for better statistics."""

    def ratio_of(self, own: SuccessRatio | None) -> SuccessRatio:
        """Return the ratio that holds for a case: its own, or that of the run, or all samples."""
        ratio = own or self.ratio
        if ratio is None:
            return SuccessRatio(self.samples or 1, self.samples or 1)
        return ratio.over(self.samples) if self.samples else ratio

    def is_decided_early(self, own: SuccessRatio | None) -> bool:
        """Tell whether a case may stop before all its samples."""
        return (own or self.ratio) is not None and not self.asks_all


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """A case with its probes."""

    number: int
    probes: tuple[Probe, ...]
    ratio: SuccessRatio
    may_stop_early: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One question to ask now."""

    number: int
    """The number of the case."""
    probe: Probe


@dataclass
class _Open:
    """A case that is being asked."""

    case: PlannedCase
    asked: int = 0
    pending: int = 0
    outcomes: dict[int, list[Outcome]] = field(default_factory=dict)

    def next_round(self) -> int:
        """Return how many samples are certainly needed now."""
        ratio = self.case.ratio
        if not self.case.may_stop_early:
            return ratio.of - self.asked
        found = self.sample_outcomes()
        wanted = ratio.certain_attempts(found.count(Outcome.PASSED), found.count(Outcome.FAILED))
        return min(wanted, ratio.of - self.asked)

    def sample_outcomes(self) -> Sequence[Outcome | None]:
        return [sample_outcome(found, len(self.case.probes)) for found in self.outcomes.values()]

    def verdict(self) -> bool | None:
        found = self.sample_outcomes()
        return self.case.ratio.decision(found.count(Outcome.PASSED), found.count(Outcome.FAILED))


class Schedule:
    """Hands out tasks in the order of cases; further samples of a case follow when their round begins."""

    def __init__(self, cases: Iterator[PlannedCase]) -> None:
        self._cases = cases
        self._ready: deque[Task] = deque()
        self._open: dict[int, _Open] = {}
        self._changed = asyncio.Event()

    async def next(self) -> Task | None:
        """Return the next task, waiting for rounds that are not over; None when all is asked."""
        while True:
            if self._ready:
                return self._ready.popleft()
            case = next(self._cases, None)
            if case is not None:
                self._open[case.number] = _Open(case)
                self._begin_round(self._open[case.number])
            elif any(case.case.may_stop_early for case in self._open.values()):
                await self._changed.wait()
            else:
                return None

    def finished(self, task: Task, result: StepResult) -> bool | None:
        """Note a result; return the verdict on the case once it is over, else None."""
        case = self._open.get(task.number)
        if case is None:
            return None
        case.outcomes.setdefault(task.probe.request.place.sample, []).append(result.outcome)
        return self._one_less(task, case)

    def skipped(self, task: Task) -> None:
        """Note that there will be no result."""
        case = self._open.get(task.number)
        if case is not None:
            self._one_less(task, case)

    def _one_less(self, task: Task, case: _Open) -> bool | None:
        case.pending -= 1
        if case.pending:
            return None
        self._begin_round(case)
        self._changed.set()
        self._changed = asyncio.Event()
        return case.verdict() if task.number not in self._open else None

    def give_up(self) -> None:
        """Hand out nothing more."""
        self._ready.clear()
        self._cases = iter(())
        self._open.clear()
        self._changed.set()

    def _begin_round(self, case: _Open) -> None:
        count = case.next_round()
        for sample in range(case.asked + 1, case.asked + count + 1):
            self._ready.extend(Task(case.case.number, _sampled(probe, sample)) for probe in case.case.probes)
        case.asked += count
        case.pending += count * len(case.case.probes)
        if not case.pending:
            del self._open[case.case.number]


def _sampled(probe: Probe, sample: int) -> Probe:
    if sample == 1:
        return probe
    place = replace(probe.request.place, sample=sample)
    return replace(probe, request=replace(probe.request, place=place))
