"""From a suite to results: plan, predict, parse, compare."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.errors import BudgetSpentError, tell_count
from du_eval.evaluation.compare import EXACT, JudgingPolicy
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.exposure import Driver
from du_eval.evaluation.judge import StepJudge
from du_eval.evaluation.plan import Plan, Planner, Probe
from du_eval.evaluation.predict import Collected, OnResult, ProbeAsker, ProbeStore, ask
from du_eval.evaluation.replay import CaseReplay, Stage
from du_eval.evaluation.results import CaseResult, RunResult, StepResult
from du_eval.generators.base import CommandGenerator, Prediction, close_if_open
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.asking import Asker, Finished, NoStore, ask_each, run_loop
from du_eval.runs.budget import Budget
from du_eval.runs.outcome import Outcome
from du_eval.runs.schedule import PlannedCase, Sampling, Schedule
from du_eval.suites.model import TestCase, TestSuite, UserStep


class CasePlanner(Protocol):
    """Makes the probes of cases."""

    def plan(self, case: TestCase, assistant: Assistant | None) -> Plan:
        """Return the probes of a case."""
        ...


@dataclass(frozen=True)
class Begun:
    """A run that is under way: what is asked next, and what was collected so far."""

    suite: TestSuite
    generator: CommandGenerator
    collected: Collected
    asker: ProbeAsker
    planned: Iterator[PlannedCase[Probe]]
    on_result: OnResult

    def note(self, finished: Finished[Probe, Prediction, StepResult]) -> None:
        """Take in what became of a question."""
        self.collected.add(finished.number, finished.result, finished.answer, is_reused=finished.is_reused)
        self.on_result(finished.result)

    async def close(self) -> None:
        """Let the generator clean up."""
        await close_if_open(self.generator)


@dataclass(frozen=True)
class Evaluator:
    """Everything that a run needs besides the suite and the generator."""

    parser: CommandParser
    policy: JudgingPolicy = EXACT
    assistant_of: Callable[[TestCase], Assistant | None] = lambda _: None
    concurrency: int = 8
    sampling: Sampling = field(default_factory=Sampling)
    store: ProbeStore = field(default_factory=NoStore)
    keeps_prompts: bool = True
    """Hold the prompts of steps that did not pass, for reports that show them."""
    budget: Budget = field(default_factory=Budget)
    """Counts for one run: a second run needs an evaluator with a budget of its own."""
    stage: Stage = field(default_factory=Stage)
    history: str = "gold"
    strict_bot: bool = False
    parses_reasoning: bool = False
    """Take commands in what a model only thought for predicted ones."""
    strict_output: bool = False
    """Fail steps whose answer calls commands that do not exist."""
    suite_parser: CommandParser | None = None
    """Reads the test files, where they are spelled otherwise than predictions."""

    @property
    def planner(self) -> Planner:
        """Makes the probes of cases."""
        return Planner(ExpectationReader(self.suite_parser or self.parser), self.stage)

    @property
    def spell(self) -> Callable[[Command], str]:
        """Writes commands as the test files do."""
        return (self.suite_parser or self.parser).syntax.print

    def run(
        self,
        suite: TestSuite,
        generator: CommandGenerator,
        name: str = "",
        on_result: OnResult = lambda _: None,
    ) -> RunResult:
        """Return the result of a run; when it is interrupted, of what was finished until then."""
        begun = self.begin(suite, generator, on_result)
        start = time.perf_counter()
        interrupted = False
        try:
            run_loop(self._ask(begun))
        except KeyboardInterrupt:
            interrupted = True
        seconds = time.perf_counter() - start
        return self.end(begun, name or type(generator).__name__, seconds, is_interrupted=interrupted)

    def begin(
        self,
        suite: TestSuite,
        generator: CommandGenerator,
        on_result: OnResult = lambda _: None,
        planner: CasePlanner | None = None,
    ) -> Begun:
        """Return a run of which nothing is asked yet; a planner may share its plans with other runs."""
        collected = Collected()
        judge = StepJudge(
            self.parser, self.policy, self.keeps_prompts, self.parses_reasoning, self.strict_output
        )
        takes_calls = not getattr(generator, "counts_calls", False)
        asker: ProbeAsker = Asker(
            partial(ask, generator=generator), judge.judged, self.store, self.budget, takes_calls
        )
        planned = self._planned(suite, collected, planner or self.planner)
        return Begun(suite, generator, collected, asker, planned, on_result)

    def end(self, begun: Begun, name: str, seconds: float, *, is_interrupted: bool = False) -> RunResult:
        """Return the result of what was asked of a run."""
        suite, collected = begun.suite, begun.collected
        cases = tuple(self._cases(suite, collected))
        stopped = "" if self._is_whole(suite, cases) else self.budget.reason
        cut = list(suite) if is_interrupted or stopped else []
        return RunResult(
            cases=cases,
            unasked=tuple(self._unasked(cut, collected)),
            unasked_cases=sum(not collected.by_case.get(number) for number in range(len(cut))),
            generator=name,
            policy=self.policy,
            syntax=self.parser.syntax.name,
            notes=tuple(self._notes(suite, collected)),
            is_interrupted=is_interrupted,
            seconds=seconds,
            samples=max((self.sampling.ratio_of(case.success_ratio).of for case in suite), default=1),
            stopped=stopped,
            spent=collected.spent(self.budget),
            history=self.history,
        )

    async def _ask(self, begun: Begun) -> None:
        try:
            await begun.asker.ask_all(Schedule(begun.planned), self.concurrency, begun.note)
            await self.drive(begun)
        finally:
            await begun.close()

    async def drive(self, begun: Begun) -> None:
        """Let the generator drive each case that has an assistant, if that is asked for."""
        if self.history != "gold":
            await self._drive_all(begun.suite, Driver(begun.asker, begun.collected, begun.on_result))

    def _planned(
        self, suite: TestSuite, collected: Collected, planner: CasePlanner
    ) -> Iterator[PlannedCase[Probe]]:
        """Yield the cases with their probes; they are made when needed, so that a large suite stays small."""
        seen: Counter[tuple[str, str]] = Counter()
        judges_empty = self.policy.judges_empty_steps
        for number, case in enumerate(suite):
            twin = seen[case.file, case.name]
            seen[case.file, case.name] += 1
            assistant = self.assistant_of(case)
            plan = planner.plan(case, assistant)
            self._remember(number, plan, collected)
            is_driven = self.history == "predicted" and assistant is not None
            probes = tuple(
                _of_twin(probe, twin)
                for probe in (() if is_driven else plan.probes)
                if judges_empty or any(probe.alternatives)
            )
            own = case.success_ratio
            yield PlannedCase(
                number, probes, self.sampling.ratio_of(own), self.sampling.is_decided_early(own)
            )

    def _remember(self, number: int, plan: Plan, collected: Collected) -> None:
        if plan.replay is not None:
            collected.replays[number] = plan.replay
        if self.history != "gold":
            collected.plans[number] = plan

    async def _drive_all(self, suite: TestSuite, driver: Driver) -> None:
        """Let the generator drive each case that has an assistant."""

        async def drive(numbered: tuple[int, TestCase]) -> None:
            await self._drive(*numbered, driver)

        await ask_each(enumerate(suite), drive, self.concurrency)

    async def _drive(self, number: int, case: TestCase, driver: Driver) -> None:
        assistant = self.assistant_of(case)
        plan = driver.collected.plans.get(number)
        if assistant is None or plan is None or driver.asker.budget.reason:
            return
        gold = {step.place.step - 1: step for step in driver.collected.by_case.get(number, ())}
        try:
            drive = await driver.drive(case, plan, CaseReplay(case, assistant, self.stage), gold)
        except BudgetSpentError:
            # An unfinished drive says nothing; its answers are kept, and a resumed run goes on with them.
            return
        driver.collected.drives[number] = drive
        if self.history == "predicted":
            driver.collected.by_case[number] = list(drive.steps)

    def _cases(self, suite: TestSuite, collected: Collected) -> Iterator[CaseResult]:
        """Yield the cases in suite order, with the steps that were finished."""
        for number, case in enumerate(suite):
            found = collected.by_case.get(number)
            if found:
                found.sort(key=lambda step: (step.place.sample, step.place.step))
                has_ratio = (case.success_ratio or self.sampling.ratio) is not None
                yield CaseResult(
                    case.name,
                    case.file,
                    case.line,
                    tuple(found),
                    ratio=self.sampling.ratio_of(case.success_ratio) if has_ratio else None,
                    length=self._length(case),
                    replay=collected.replays.get(number),
                    is_strict=self.strict_bot,
                    drive=collected.drives.get(number),
                )

    def _is_whole(self, suite: TestSuite, cases: Sequence[CaseResult]) -> bool:
        """Tell whether nothing is left to ask: a limit that the very last step reached cuts nothing off."""
        if self.history != "gold" or len(cases) < self.count_judged(suite):
            return False
        samples = (self.sampling.ratio_of(case.success_ratio).of for case in suite if self._length(case))
        return all(
            len(found.steps) == found.length * of or (found.ratio and found.outcome is not Outcome.ERRORED)
            for found, of in zip(cases, samples, strict=True)
        )

    def _unasked(self, suite: Sequence[TestCase], collected: Collected) -> Iterator[tuple[Command, ...]]:
        """Yield what the steps expect that no sample has asked."""
        reader = ExpectationReader(self.suite_parser or self.parser)
        for number, case in enumerate(suite):
            asked = {step.place.step for step in collected.by_case.get(number, ())}
            for place, step in enumerate(case.user_steps, 1):
                if place not in asked and self._is_judged(step):
                    yield reader.alternatives(step)[0]

    def _is_judged(self, step: UserStep) -> bool:
        return self.policy.judges_empty_steps or any(step.alternatives)

    def count_judged(self, suite: TestSuite) -> int:
        """Return how many cases have anything to judge."""
        return sum(bool(self._length(case)) for case in suite)

    def _length(self, case: TestCase) -> int:
        return sum(map(self._is_judged, case.user_steps))

    def _notes(self, suite: TestSuite, collected: Collected) -> Iterator[str]:
        if self.history != "gold":
            missing = sum(self.assistant_of(case) is None for case in suite)
            if missing:
                has = tell_count(missing, "case has", "cases have")
                yield f"{has} no assistant: only the gold history could be used"
        stopped = [replay for replay in collected.replays.values() if replay.stopped]
        if stopped:
            yield (
                f"{tell_count(len(stopped), 'case')} could not be replayed to the end: "
                "later steps were asked with a state derived from the texts"
            )
        if not self.policy.judges_empty_steps:
            empty = sum(not any(step.alternatives) for case in suite for step in case.user_steps)
            if empty:
                name = self.policy.name
                yield f"{empty} steps expect no command; the policy '{name}' does not evaluate them"


def _of_twin(probe: Probe, twin: int) -> Probe:
    if not twin:
        return probe
    return replace(probe, request=replace(probe.request, place=replace(probe.request.place, twin=twin)))
