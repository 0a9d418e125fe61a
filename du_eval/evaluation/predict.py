"""Ask a generator, several questions at once, and keep every answer the moment it is there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from du_eval.errors import BudgetSpentError, DuEvalError, EndpointError, GeneratorError
from du_eval.evaluation.budget import Budget
from du_eval.evaluation.judge import StepJudge
from du_eval.evaluation.plan import Plan, Probe
from du_eval.evaluation.replay import Replay
from du_eval.evaluation.results import Drive, Outcome, Spent, StepResult
from du_eval.evaluation.schedule import Schedule
from du_eval.generators.base import CommandGenerator, Prediction, Request

OnResult = Callable[[StepResult], None]
Answer = Prediction | DuEvalError


class NotAskedError(DuEvalError):
    """A recorded run never asked this: there is nothing to judge, and nothing went wrong."""


async def ask(probe: Probe, generator: CommandGenerator) -> Answer:
    """Return the answer, or the reason there is none; time it where the generator gives no time."""
    start = time.perf_counter()
    try:
        answer: object = await generator.generate(probe.request)
    except (GeneratorError, EndpointError) as error:
        return error
    if not isinstance(answer, Prediction):
        return GeneratorError(f"the generator returned {type(answer).__name__} instead of a Prediction")
    if answer.latency_seconds is None:
        return replace(answer, latency_seconds=time.perf_counter() - start)
    return answer


class AnswerStore(Protocol):
    """Keeps answers, and knows those that were given before."""

    def recall(self, request: Request) -> Answer | None:
        """Return the answer that was kept for a request."""
        ...

    def keep(self, request: Request, answer: Answer, outcome: Outcome) -> None:
        """Keep an answer for good."""
        ...


class NoStore:
    """Keeps nothing."""

    def recall(self, request: Request) -> Answer | None:  # noqa: ARG002 - the protocol's parameter
        """Know nothing."""
        return None

    def keep(self, request: Request, answer: Answer, outcome: Outcome) -> None:
        """Forget it."""


@dataclass
class Collected:
    """Results by case; holds what was finished when a run is interrupted."""

    by_case: dict[int, list[StepResult]] = field(default_factory=dict)
    replays: dict[int, Replay] = field(default_factory=dict)
    """What replaying a case found, by the number of the case."""
    plans: dict[int, Plan] = field(default_factory=dict)
    """Plans that are needed again, by the number of the case: actions run once."""
    drives: dict[int, Drive] = field(default_factory=dict)
    """Cases driven by the generator's own commands, by the number of the case."""
    retries: int = 0
    cached: int = 0
    reused: int = 0

    def add(self, number: int, result: StepResult, answer: Answer, *, is_reused: bool) -> None:
        """Take in a result, and what its answer took."""
        self.by_case.setdefault(number, []).append(result)
        self.count(answer, is_reused=is_reused)

    def count(self, answer: Answer, *, is_reused: bool) -> None:
        """Take in what an answer took."""
        self.reused += is_reused
        if isinstance(answer, Prediction) and not is_reused:
            self.retries += sum(prompt.retries for prompt in answer.prompts)
            self.cached += bool(answer.prompts) and all(prompt.is_cached for prompt in answer.prompts)

    def spent(self, budget: Budget) -> Spent:
        """Return what the run took."""
        return Spent(budget.calls, self.retries, self.cached, budget.cost or None, self.reused)


@dataclass(frozen=True)
class Asker:
    """Works through a schedule with some workers."""

    generator: CommandGenerator
    judge: StepJudge
    store: AnswerStore = field(default_factory=NoStore)
    budget: Budget = field(default_factory=Budget)

    async def ask_all(
        self, schedule: Schedule, collected: Collected, concurrency: int, on_result: OnResult
    ) -> None:
        """Answer and judge everything, unless the budget ends it."""
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(self._work(schedule, collected, on_result))
                # The first requests leave while the next ones are prepared.
                await asyncio.sleep(0)

    async def _work(self, schedule: Schedule, collected: Collected, on_result: OnResult) -> None:
        while not self.budget.reason and (task := await schedule.next()) is not None:
            try:
                answer, is_reused = await self.answered(task.probe)
            except NotAskedError:
                schedule.skipped(task)
                continue
            except BudgetSpentError:
                # Not finished, so not recorded: a resumed run asks this step again.
                break
            result = self.judged(task.probe, answer, is_reused=is_reused)
            collected.add(task.number, result, answer, is_reused=is_reused)
            self._count(result, verdict=schedule.finished(task, result))
            on_result(result)
        if self.budget.reason:
            schedule.give_up()

    async def answered(self, probe: Probe) -> tuple[Answer, bool]:
        """Return the answer to a probe, and whether it was kept from before; raise where none may be had."""
        kept = self.store.recall(probe.request)
        if kept is not None:
            return kept, True
        if not getattr(self.generator, "counts_calls", False) and not self.budget.take_call():
            raise BudgetSpentError(self.budget.reason)
        return await ask(probe, self.generator), False

    def judged(self, probe: Probe, answer: Answer, *, is_reused: bool) -> StepResult:
        """Return the result of an answer, after keeping a new one for good."""
        result = self.judge.judged(probe, answer)
        if not is_reused:
            self.store.keep(probe.request, answer, result.outcome)
        return result

    def _count(self, result: StepResult, *, verdict: bool | None) -> None:
        self.budget.step_finished(is_error=result.outcome is Outcome.ERRORED)
        if verdict is False:
            self.budget.case_failed()
