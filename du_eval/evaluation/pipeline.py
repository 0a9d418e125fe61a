"""From a suite to results: plan, predict, parse, compare."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from du_eval.assistants.model import Assistant
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.exposure import Driver
from du_eval.evaluation.judge import StepJudge
from du_eval.evaluation.plan import Planner, Probe
from du_eval.evaluation.predict import Asker, Collected, OnResult
from du_eval.evaluation.replay import CaseReplay, Stage
from du_eval.evaluation.results import CaseResult, RunResult, StepResult
from du_eval.generators.base import CommandGenerator
from du_eval.parsers.command_parser import CommandParser
from du_eval.suites.model import TestCase, TestSuite


@dataclass(frozen=True)
class Evaluator:
    """Everything that a run needs besides the suite and the generator."""

    parser: CommandParser
    policy: str = "exact"
    assistant_of: Callable[[TestCase], Assistant | None] = lambda _: None
    concurrency: int = 8
    stage: Stage = field(default_factory=Stage)
    history: str = "gold"
    strict_bot: bool = False

    def run(
        self,
        suite: TestSuite,
        generator: CommandGenerator,
        name: str = "",
        on_result: OnResult = lambda _: None,
    ) -> RunResult:
        """Return the result of a run; when it is interrupted, of what was finished until then."""
        collected = Collected()
        start = time.perf_counter()
        interrupted = False
        try:
            asyncio.run(self._run(suite, generator, collected, on_result))
        except KeyboardInterrupt:
            interrupted = True
        return RunResult(
            cases=tuple(self._cases(suite, collected)),
            generator=name or type(generator).__name__,
            policy=self.policy,
            syntax=self.parser.syntax.name,
            notes=tuple(self._notes(suite, collected)),
            is_interrupted=interrupted,
            seconds=time.perf_counter() - start,
            history=self.history,
        )

    async def _run(
        self, suite: TestSuite, generator: CommandGenerator, collected: Collected, on_result: OnResult
    ) -> None:
        judge = StepJudge(self.parser, self.policy)
        asker = Asker(generator, judge, self.concurrency, on_result)
        await asker.ask_all(self._probes(suite, collected), collected)
        if self.history != "gold":
            driver = Driver(generator, judge, on_result)
            work = self._driven(suite, driver, collected)
            async with asyncio.TaskGroup() as group:
                for _ in range(max(1, self.concurrency)):
                    group.create_task(_finish(work))

    @cached_property
    def _planner(self) -> Planner:
        return Planner(ExpectationReader(self.parser), self.stage)

    def _probes(self, suite: TestSuite, collected: Collected) -> Iterator[tuple[int, Probe]]:
        """Yield numbered probes; they are made when they are needed, so that a large suite stays small."""
        number = 0
        for case in suite:
            assistant = self.assistant_of(case)
            plan = self._planner.plan(case, assistant)
            if plan.replay is not None:
                collected.replays[number] = plan.replay
            if self.history != "gold":
                collected.plans[number] = plan
            is_driven = self.history == "predicted" and assistant is not None
            for at, probe in enumerate(() if is_driven else plan.probes, number):
                if self.policy != "rasa" or any(probe.alternatives):
                    yield at, probe
            number += len(plan.probes)

    def _driven(
        self, suite: TestSuite, driver: Driver, collected: Collected
    ) -> Iterator[Coroutine[object, object, None]]:
        """Yield the work of letting the generator drive each case that has an assistant."""
        number = 0
        for case in suite:
            assistant = self.assistant_of(case)
            if assistant is not None:
                yield self._drive(case, assistant, number, driver, collected)
            number += len(case.user_steps)

    async def _drive(
        self, case: TestCase, assistant: Assistant, number: int, driver: Driver, collected: Collected
    ) -> None:
        plan = collected.plans[number]
        known = range(number, number + len(plan.probes))
        gold = {at - number: collected.by_number[at] for at in known if at in collected.by_number}
        follower = CaseReplay(case, assistant, self.stage)
        drive = await driver.drive(case, plan, follower, gold)
        collected.drives[number] = drive
        if self.history == "predicted":
            collected.by_number.update(enumerate(drive.steps, number))

    def _cases(self, suite: TestSuite, collected: Collected) -> Iterator[CaseResult]:
        """Yield the cases in suite order, with the steps that were finished."""
        number = 0
        for case in suite:
            count = len(case.user_steps)
            found: list[StepResult] = [
                collected.by_number[n] for n in range(number, number + count) if n in collected.by_number
            ]
            if found:
                replay, drive = collected.replays.get(number), collected.drives.get(number)
                steps = tuple(found)
                yield CaseResult(case.name, case.file, case.line, steps, replay, self.strict_bot, drive)
            number += count

    def _notes(self, suite: TestSuite, collected: Collected) -> Iterator[str]:
        if self.history != "gold":
            missing = sum(self.assistant_of(case) is None for case in suite)
            if missing:
                yield f"{missing} cases have no assistant: only their gold history could be asked"
        stopped = [replay for replay in collected.replays.values() if replay.stopped]
        if stopped:
            yield (
                f"{len(stopped)} cases could not be replayed to their end: "
                "the steps behind that point were asked with a state worked out from the texts"
            )
        if self.policy == "rasa":
            empty = sum(not any(step.alternatives) for case in suite for step in case.user_steps)
            if empty:
                yield f"{empty} steps expect no command; the policy 'rasa' does not evaluate them"


async def _finish(work: Iterator[Coroutine[object, object, None]]) -> None:
    for piece in work:
        await piece
