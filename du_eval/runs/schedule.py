"""What is asked next: each case in its samples, and no sample more than is needed for a verdict."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Generic, Protocol, Self, TypeVar

from msgspec import Struct, field

from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Key, combine_sample
from du_eval.statistics.success import SuccessRatio


class Askable(Protocol):
    """Something that can be asked, and asked again."""

    @property
    def key(self) -> Key:
        """Where its result belongs."""
        ...

    def at_sample(self, sample: int) -> Self:
        """Return the same question as another repetition."""
        ...


I = TypeVar("I", bound=Askable)  # noqa: E741 - an item


class Sampling(Struct, frozen=True):
    """How often each case is asked, and which share of that must pass."""

    samples: int | None = None
    """None: as often as the case's ratio says, or once."""
    ratio: SuccessRatio | None = None
    """For cases that have none of their own."""
    asks_all: bool = False
    """Go on after the verdict is certain, for better statistics."""

    def choose_ratio(self, own: SuccessRatio | None) -> SuccessRatio:
        """Return the ratio that holds for a case: its own, or that of the run, or all samples."""
        ratio = own or self.ratio
        if ratio is None:
            return SuccessRatio(self.samples or 1, self.samples or 1)
        return ratio.over(self.samples) if self.samples else ratio

    def is_decided_early(self, own: SuccessRatio | None) -> bool:
        """Tell whether a case may stop before all its samples."""
        return (own or self.ratio) is not None and not self.asks_all


class PlannedCase(Struct, Generic[I], frozen=True):
    """A case with what is asked in it."""

    number: int
    items: tuple[I, ...]
    ratio: SuccessRatio
    may_stop_early: bool = False


class Task(Struct, Generic[I], frozen=True):
    """One question to ask now."""

    number: int
    """The number of the case."""
    item: I


class _Open(Struct, Generic[I]):
    """A case that is being asked."""

    case: PlannedCase[I]
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
        return [combine_sample(found, len(self.case.items)) for found in self.outcomes.values()]

    def verdict(self) -> bool | None:
        found = self.sample_outcomes()
        return self.case.ratio.decision(found.count(Outcome.PASSED), found.count(Outcome.FAILED))


class Schedule(Generic[I]):
    """Hands out tasks in the order of cases; further samples of a case follow when their round begins."""

    def __init__(self, cases: Iterator[PlannedCase[I]]) -> None:
        self._cases = cases
        self._ready: deque[Task[I]] = deque()
        self._open: dict[int, _Open[I]] = {}
        self._changed = asyncio.Event()

    async def next(self) -> Task[I] | None:
        """Return the next task, waiting for rounds that are not over; None when all is asked."""
        while (task := self.take()) is None and self.is_waiting:
            await self._changed.wait()
        return task

    def take(self) -> Task[I] | None:
        """Return the next task, if one can be asked now."""
        while not self._ready:
            case = next(self._cases, None)
            if case is None:
                return None
            self._open[case.number] = _Open(case)
            self._begin_round(self._open[case.number])
        return self._ready.popleft()

    @property
    def is_waiting(self) -> bool:
        """Tell whether further tasks may follow from those that are being asked."""
        return any(case.case.may_stop_early for case in self._open.values())

    def finish(self, task: Task[I], outcome: Outcome) -> bool | None:
        """Note an outcome; return the verdict on the case once it is over, else None."""
        case = self._open.get(task.number)
        if case is None:
            return None
        case.outcomes.setdefault(task.item.key.sample, []).append(outcome)
        return self._one_less(task, case)

    def skip(self, task: Task[I]) -> None:
        """Note that there will be no result."""
        case = self._open.get(task.number)
        if case is not None:
            self._one_less(task, case)

    def _one_less(self, task: Task[I], case: _Open[I]) -> bool | None:
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

    def _begin_round(self, case: _Open[I]) -> None:
        count = case.next_round()
        for sample in range(case.asked + 1, case.asked + count + 1):
            self._ready.extend(
                Task(case.case.number, item if sample == 1 else item.at_sample(sample))
                for item in case.case.items
            )
        case.asked += count
        case.pending += count * len(case.case.items)
        if not case.pending:
            del self._open[case.case.number]
