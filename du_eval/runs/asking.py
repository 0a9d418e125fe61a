"""Ask several questions at once, and keep every answer the moment it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Generic, Protocol, TypeVar

from msgspec import Struct, field

from du_eval.errors import BudgetSpentError, DuEvalError
from du_eval.runs.budget import Budget
from du_eval.runs.outcome import Outcome
from du_eval.runs.schedule import Askable, I, Schedule, Task

T = TypeVar("T")
A = TypeVar("A")
"""An answer."""
I_contra = TypeVar("I_contra", bound=Askable, contravariant=True)
R_co = TypeVar("R_co", bound="HasOutcome", covariant=True)


async def work_together(work: Callable[[], Coroutine[None, None, None]], concurrency: int) -> None:
    """Let some workers do the same; the first trouble that one of them meets ends them all."""
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(work())
                # The first requests leave while the next ones are prepared.
                await asyncio.sleep(0)
    except ExceptionGroup as troubles:
        # Of several workers that met the same trouble, one may speak.
        raise troubles.exceptions[0] from troubles


async def ask_each(
    items: Iterable[T], ask: Callable[[T], Awaitable[A]], concurrency: int, found: dict[int, A] | None = None
) -> list[A]:
    """Return the answers in the order of the items; `found` holds them by number as they come."""
    waiting, known = iter(enumerate(items)), {} if found is None else found

    async def work() -> None:
        for number, item in waiting:
            known[number] = await ask(item)

    await work_together(work, concurrency)
    return [known[number] for number in sorted(known)]


class NotAskedError(DuEvalError):
    """A recorded run never asked this: there is nothing to judge, and nothing went wrong."""


class HasOutcome(Protocol):
    """Anything that has an outcome."""

    @property
    def outcome(self) -> Outcome | None:
        """What became of it; None: it can neither pass nor fail."""
        ...


class AnswerStore(Protocol[I_contra, A]):
    """Keeps answers, and knows those that were given before."""

    def recall(self, item: I_contra) -> A | DuEvalError | None:
        """Return the answer that was kept for an item."""
        ...

    def keep(self, item: I_contra, answer: A | DuEvalError, outcome: Outcome | None) -> None:
        """Keep an answer for good."""
        ...


class NoStore(Generic[I, A]):
    """Keeps nothing."""

    def recall(self, item: I) -> A | DuEvalError | None:  # noqa: ARG002 - the protocol's parameter
        """Know nothing."""
        return None

    def keep(self, item: I, answer: A | DuEvalError, outcome: Outcome | None) -> None:
        """Forget it."""


class Finished(Struct, Generic[I, A, R_co], frozen=True):
    """An item with its answer and what became of it."""

    number: int
    """The number of its case."""
    item: I
    answer: A | DuEvalError
    result: R_co
    is_reused: bool


class Asker(Struct, Generic[I, A, R_co], frozen=True):
    """Works through a schedule with some workers."""

    ask: Callable[[I], Awaitable[A | DuEvalError]]
    judge: Callable[[I, A | DuEvalError], R_co]
    store: AnswerStore[I, A] = field(default_factory=NoStore)
    budget: Budget = field(default_factory=Budget)
    takes_calls: bool = True
    """Whether each question counts as one call; otherwise who is asked counts its calls itself."""

    async def ask_all(
        self,
        schedule: Schedule[I],
        concurrency: int,
        on_finished: Callable[[Finished[I, A, R_co]], None],
    ) -> None:
        """Answer and judge everything, unless the budget ends it."""
        await work_together(lambda: self._work(schedule, on_finished), concurrency)

    async def _work(self, schedule: Schedule[I], on_finished: Callable[[Finished[I, A, R_co]], None]) -> None:
        while not self.budget.reason and (task := await schedule.next()) is not None:
            try:
                await self.handle(schedule, task, on_finished)
            except BudgetSpentError:
                # Not finished, so not recorded: a resumed run asks this item again.
                break
        if self.budget.reason:
            schedule.give_up()

    async def handle(
        self, schedule: Schedule[I], task: Task[I], on_finished: Callable[[Finished[I, A, R_co]], None]
    ) -> None:
        """Answer and judge one task; raise where the budget allows no further question."""
        try:
            answer, is_reused = await self.answer(task.item)
        except NotAskedError:
            schedule.skip(task)
            return
        result = self.judge_and_keep(task.item, answer, is_reused=is_reused)
        on_finished(Finished(task.number, task.item, answer, result, is_reused))
        outcome = result.outcome or Outcome.PASSED
        self.budget.count_step(is_error=outcome is Outcome.ERRORED)
        if schedule.finish(task, outcome) is False:
            self.budget.count_failed_case()

    async def answer(self, item: I) -> tuple[A | DuEvalError, bool]:
        """Return the answer to an item, and whether it was kept from before; raise where none may be had."""
        kept = self.store.recall(item)
        if kept is not None:
            return kept, True
        if self.takes_calls and not self.budget.take_call():
            raise BudgetSpentError(self.budget.reason)
        return await self.ask(item), False

    def judge_and_keep(self, item: I, answer: A | DuEvalError, *, is_reused: bool) -> R_co:
        """Return the result of an answer, after keeping a new one for good."""
        result = self.judge(item, answer)
        if not is_reused:
            self.store.keep(item, answer, result.outcome)
        return result
