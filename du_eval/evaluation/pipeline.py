"""From a suite to results: plan, predict, parse, compare."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from du_eval.assistants.model import Assistant
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.judge import StepJudge
from du_eval.evaluation.plan import Planner, Probe
from du_eval.evaluation.predict import Asker, Collected, OnResult
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
            cases=tuple(_cases(suite, collected)),
            generator=name or type(generator).__name__,
            policy=self.policy,
            syntax=self.parser.syntax.name,
            notes=tuple(self._notes(suite)),
            is_interrupted=interrupted,
            seconds=time.perf_counter() - start,
        )

    async def _run(
        self, suite: TestSuite, generator: CommandGenerator, collected: Collected, on_result: OnResult
    ) -> None:
        asker = Asker(generator, StepJudge(self.parser, self.policy), self.concurrency, on_result)
        await asker.ask_all(self._probes(suite), collected)

    def _probes(self, suite: TestSuite) -> Iterator[tuple[int, Probe]]:
        """Yield numbered probes; they are made when they are needed, so that a large suite stays small."""
        planner = Planner(ExpectationReader(self.parser))
        number = 0
        for case in suite:
            for probe in planner.probes(case, self.assistant_of(case)):
                if self.policy != "rasa" or any(probe.alternatives):
                    yield number, probe
                number += 1

    def _notes(self, suite: TestSuite) -> Iterator[str]:
        if self.policy == "rasa":
            empty = sum(not any(step.alternatives) for case in suite for step in case.user_steps)
            if empty:
                yield f"{empty} steps expect no command; the policy 'rasa' does not evaluate them"


def _cases(suite: TestSuite, collected: Collected) -> Iterator[CaseResult]:
    """Yield the cases in suite order, with the steps that were finished."""
    number = 0
    for case in suite:
        count = len(case.user_steps)
        found: list[StepResult] = [
            collected.by_number[n] for n in range(number, number + count) if n in collected.by_number
        ]
        number += count
        if found:
            yield CaseResult(case.name, case.file, case.line, tuple(found))
