"""From a suite to results: plan, predict, parse, compare."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from du_eval.assistants.model import Assistant
from du_eval.evaluation.budget import Budget
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.judge import StepJudge
from du_eval.evaluation.plan import Planner, Probe
from du_eval.evaluation.predict import AnswerStore, Asker, Collected, NoStore, OnResult
from du_eval.evaluation.results import CaseResult, RunResult
from du_eval.evaluation.schedule import PlannedCase, Sampling, Schedule
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
    sampling: Sampling = field(default_factory=Sampling)
    store: AnswerStore = field(default_factory=NoStore)
    budget: Budget = field(default_factory=Budget)
    """Counts for one run: a second run needs an evaluator with a budget of its own."""

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
            notes=tuple(self._notes(suite)),
            is_interrupted=interrupted,
            seconds=time.perf_counter() - start,
            samples=self.sampling.samples or 1,
            stopped=self.budget.reason,
            spent=collected.spent(self.budget),
        )

    async def _run(
        self, suite: TestSuite, generator: CommandGenerator, collected: Collected, on_result: OnResult
    ) -> None:
        asker = Asker(generator, StepJudge(self.parser, self.policy), self.store, self.budget)
        try:
            await asker.ask_all(Schedule(self._planned(suite)), collected, self.concurrency, on_result)
        finally:
            close = getattr(generator, "close", None)
            if asyncio.iscoroutinefunction(close):
                await close()

    def _planned(self, suite: TestSuite) -> Iterator[PlannedCase]:
        """Yield the cases with their probes; they are made when needed, so that a large suite stays small."""
        planner = Planner(ExpectationReader(self.parser))
        seen: Counter[tuple[str, str]] = Counter()
        for number, case in enumerate(suite):
            twin = seen[case.file, case.name]
            seen[case.file, case.name] += 1
            probes = tuple(
                _of_twin(probe, twin)
                for probe in planner.probes(case, self.assistant_of(case))
                if self.policy != "rasa" or any(probe.alternatives)
            )
            own = case.success_ratio
            yield PlannedCase(
                number, probes, self.sampling.ratio_of(own), self.sampling.is_decided_early(own)
            )

    def _cases(self, suite: TestSuite, collected: Collected) -> Iterator[CaseResult]:
        """Yield the cases in suite order, with the steps that were finished."""
        for number, case in enumerate(suite):
            found = collected.by_case.get(number)
            if found:
                found.sort(key=lambda step: (step.place.sample, step.place.step))
                has_ratio = (case.success_ratio or self.sampling.ratio) is not None
                ratio = self.sampling.ratio_of(case.success_ratio) if has_ratio else None
                length = self._length(case)
                yield CaseResult(case.name, case.file, case.line, tuple(found), ratio, length)

    def _length(self, case: TestCase) -> int:
        return sum(self.policy != "rasa" or any(step.alternatives) for step in case.user_steps)

    def _notes(self, suite: TestSuite) -> Iterator[str]:
        if self.policy == "rasa":
            empty = sum(not any(step.alternatives) for case in suite for step in case.user_steps)
            if empty:
                yield f"{empty} steps expect no command; the policy 'rasa' does not evaluate them"


def _of_twin(probe: Probe, twin: int) -> Probe:
    if not twin:
        return probe
    return replace(probe, request=replace(probe.request, place=replace(probe.request.place, twin=twin)))
