"""Ask several arms in turn: each step goes to every arm before the next step goes to any."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct, field

from du_eval.assistants.model import Assistant
from du_eval.errors import BudgetSpentError
from du_eval.evaluation.pipeline import Begun, CasePlanner, Evaluator
from du_eval.evaluation.plan import Plan, Probe
from du_eval.runs.asking import work_together
from du_eval.runs.budget import Budget
from du_eval.runs.schedule import Schedule, Task
from du_eval.suites.model import TestCase


class Contestant(Struct, frozen=True):
    """An arm while it is being asked."""

    name: str
    evaluator: Evaluator
    begun: Begun

    @property
    def is_going(self) -> bool:
        """Tell whether it is still asked; its budget knows why it is not."""
        return not self.evaluator.budget.reason


class Turns(Struct):
    """Hands out the tasks of several schedules in turn; another one is first in every round."""

    schedules: Sequence[tuple[Contestant, Schedule[Probe]]]
    _taken: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def next(self) -> tuple[Contestant, Schedule[Probe], Task[Probe]] | None:
        """Return the next task and whose it is; None when all is asked."""
        while True:
            for _ in self.schedules:
                found = self._take()
                if found is not None:
                    return found
            if not any(one.is_waiting for arm, one in self.schedules if arm.is_going):
                return None
            changed = self._changed
            await changed.wait()

    def _take(self) -> tuple[Contestant, Schedule[Probe], Task[Probe]] | None:
        size = len(self.schedules)
        turn, place = divmod(self._taken, size)
        self._taken += 1
        arm, schedule = self.schedules[(turn + place) % size]
        if not arm.is_going:
            schedule.give_up()
            return None
        task = schedule.take()
        return None if task is None else (arm, schedule, task)

    def notify(self) -> None:
        """Wake those who wait for tasks that follow from others."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


async def ask_in_turn(
    arms: Sequence[Contestant], batches: Sequence[int], whole: Budget, look: Callable[[int], None]
) -> None:
    """Ask all arms, a batch of cases at a time; `look` may end arms by their budgets after each batch."""
    concurrency = max(arm.evaluator.concurrency for arm in arms)
    try:
        for number, size in enumerate(batches, 1):
            going = [arm for arm in arms if arm.is_going]
            if not going or whole.reason:
                break
            turns = Turns([(arm, Schedule(islice(arm.begun.planned, size))) for arm in going])
            await work_together(partial(_work, turns, whole), concurrency)
            if not whole.reason:
                look(number)
        for arm in arms:
            await arm.evaluator.drive(arm.begun)
    finally:
        for arm in arms:
            await arm.begun.close()


async def _work(turns: Turns, whole: Budget) -> None:
    while not whole.reason and (found := await turns.next()) is not None:
        arm, schedule, task = found
        try:
            await arm.begun.asker.handle(schedule, task, arm.begun.note)
        except BudgetSpentError:
            # Not finished, so not recorded: a resumed experiment asks this again.
            schedule.skip(task)
        turns.notify()


class SharedPlans(Struct):
    """Plans each case once for all arms; a plan is forgotten when every arm has taken it."""

    planner: CasePlanner
    arms: int
    _plans: dict[int, Plan] = field(default_factory=dict)
    _taken: Counter[int] = field(default_factory=Counter)

    def plan(self, case: TestCase, assistant: Assistant | None) -> Plan:
        """Return the probes of a case."""
        key = id(case)
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self.planner.plan(case, assistant)
        self._taken[key] += 1
        if self._taken[key] == self.arms:
            del self._plans[key], self._taken[key]
        return found
