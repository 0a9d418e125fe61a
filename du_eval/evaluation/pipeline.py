"""From a suite to results: plan, predict, parse, compare."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.errors import BudgetSpentError, tell_count
from du_eval.evaluation.closing import CaseRules
from du_eval.evaluation.compare import EXACT, JudgingPolicy
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.exposure import Driver
from du_eval.evaluation.judge import StepJudge
from du_eval.evaluation.plan import Plan, Planner, Probe
from du_eval.evaluation.predict import Collected, OnResult, ProbeAsker, ProbeStore, ask
from du_eval.evaluation.record import AskedCase, AskedCases, TestRun, record_test
from du_eval.evaluation.replay import CaseReplay, Stage
from du_eval.evaluation.step import JudgedStep
from du_eval.generators.base import CommandGenerator, Prediction, close_if_open
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.asking import Asker, Finished, NoStore, NotAskedError, ask_each
from du_eval.runs.budget import Budget
from du_eval.runs.record import Head, Status
from du_eval.runs.schedule import PlannedCase, Sampling, Schedule
from du_eval.suites.model import TestCase, TestSuite

if TYPE_CHECKING:
    from du_eval.evaluation.goals import Goals


class CasePlanner(Protocol):
    """Makes the probes of cases."""

    def plan(self, case: TestCase, assistant: Assistant | None) -> Plan:
        """Return the probes of a case."""
        ...


class Begun(Struct, frozen=True):
    """A run that is under way: what is asked next, and what was collected so far."""

    suite: TestSuite
    generator: CommandGenerator
    collected: Collected
    asker: ProbeAsker
    planned: Iterator[PlannedCase[Probe]]
    on_result: OnResult
    order: TestSuite
    """The cases in the order of reports."""

    def note(self, finished: Finished[Probe, Prediction, JudgedStep]) -> None:
        """Take in what became of a question."""
        self.collected.add(finished.number, finished.result, finished.answer, is_reused=finished.is_reused)
        self.on_result(finished.result)

    async def close(self) -> None:
        """Let the generator clean up."""
        await close_if_open(self.generator)


class Evaluator(Struct, frozen=True):
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
    measures_goals: bool = False
    """Measure the dialogue state, too."""
    is_cut: bool = False
    """Judges a run again that may have ended before everything was asked."""

    @property
    def reader(self) -> ExpectationReader:
        """Reads what test files expect."""
        return ExpectationReader(self.suite_parser or self.parser)

    @property
    def planner(self) -> Planner:
        """Makes the probes of cases."""
        return Planner(self.reader, self.stage)

    @property
    def rules(self) -> CaseRules:
        """Decides about cases beyond their steps."""
        return CaseRules(self.policy, self.sampling, self.spell, self.strict_bot)

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
    ) -> TestRun:
        """Return the record of a run; when it is interrupted, of what was finished until then."""
        begun = self.begin(suite, generator, on_result)
        return self.finish(begun, name or type(generator).__name__, [len(suite.cases)])

    def finish(
        self, begun: Begun, name: str, batches: Sequence[int], look: Callable[[int], bool] = lambda _: False
    ) -> TestRun:
        """Ask what a run is about, so many cases at a time; `look` may end it after each batch."""
        start = time.perf_counter()
        interrupted = False
        try:
            asyncio.run(self._ask(begun, batches, look))
        except KeyboardInterrupt:
            interrupted = True
        seconds = time.perf_counter() - start
        return self.end(begun, name, seconds, is_interrupted=interrupted)

    def begin(
        self,
        suite: TestSuite,
        generator: CommandGenerator,
        on_result: OnResult = lambda _: None,
        planner: CasePlanner | None = None,
        order: TestSuite | None = None,
    ) -> Begun:
        """Return a run of which nothing is asked yet; a planner may share its plans with other runs.

        Where cases are asked in another order than reports show them, `order` has them as they are shown.
        """
        collected = Collected()
        judge = StepJudge(
            self.parser,
            self.policy,
            self.keeps_prompts,
            self.parses_reasoning,
            self.strict_output,
            self.spell,
        )
        takes_calls = not getattr(generator, "counts_calls", False)
        asker: ProbeAsker = Asker(
            partial(ask, generator=generator), judge.judge, self.store, self.budget, takes_calls
        )
        planned = self._planned(suite, collected, planner or self.planner)
        return Begun(suite, generator, collected, asker, planned, on_result, order or suite)

    def end(self, begun: Begun, name: str, seconds: float, *, is_interrupted: bool = False) -> TestRun:
        """Return the record of what was asked of a run."""
        suite, collected, rules = begun.suite, begun.collected, self.rules
        found = list(rules.list_cases(suite, collected))
        is_whole = self.history == "gold" and rules.is_whole(suite, [asked.case for asked in found])
        stopped = "" if is_whole else self.budget.reason
        is_cut = self.is_cut and not is_whole
        cut = list(suite) if is_interrupted or stopped or is_cut else []
        if begun.order is not suite:
            places = {(case.file, case.line): number for number, case in enumerate(begun.order)}
            found.sort(key=lambda asked: places[asked.case.file, asked.case.line])
        unbegun = sum(not collected.by_case.get(number) for number in range(len(cut)))
        head = Head(
            "test",
            subject=name,
            seconds=seconds,
            status=Status.STOPPED if is_cut else Status.of(stopped, is_interrupted=is_interrupted),
            stopped=stopped,
            samples=max((self.sampling.choose_ratio(case.success_ratio).of for case in suite), default=1),
            settings={"match": self.policy.name, "syntax": self.parser.syntax.name},
            spent=collected.count_spent(self.budget),
        )
        return record_test(
            AskedCases(found, tuple(rules.list_unasked(cut, collected, self.reader)), unbegun, self.history),
            head,
            (*self._note_missing(suite), *rules.list_notes(suite, collected)),
            self._goals(begun.order, found),
        )

    def _note_missing(self, suite: TestSuite) -> Iterator[str]:
        missing = sum(self.assistant_of(case) is None for case in suite) if self.history != "gold" else 0
        if missing:
            has = tell_count(missing, "case has", "cases have")
            yield f"{has} no assistant: only the gold history could be used"

    def _goals(self, suite: TestSuite, found: Sequence[AskedCase]) -> Goals | None:
        if not self.measures_goals:
            return None
        from du_eval.evaluation.goals import measure_goals  # noqa: PLC0415 - most runs do not need it

        cases = {(case.file, case.line): case for case in suite}
        pairs = [(cases[asked.case.file, asked.case.line], asked.case) for asked in found]
        return measure_goals(pairs, self.reader, self.assistant_of)

    async def _ask(self, begun: Begun, batches: Sequence[int], look: Callable[[int], bool]) -> None:
        try:
            for number, size in enumerate(batches):
                schedule = Schedule(islice(begun.planned, size))
                await begun.asker.ask_all(schedule, self.concurrency, begun.note)
                await self.drive(begun)
                if look(number) or self.budget.reason:
                    break
        finally:
            await begun.close()

    async def drive(self, begun: Begun) -> None:
        """Let the generator drive each case that has an assistant, if that is asked for."""
        if self.history != "gold":
            drive = partial(self._drive, Driver(begun.asker, begun.collected, begun.on_result))
            await ask_each(enumerate(begun.suite), drive, self.concurrency)

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
            if plan.replay is not None:
                collected.replays[number] = plan.replay
            if self.history != "gold":
                collected.plans[number] = plan
            is_driven = self.history == "predicted" and assistant is not None
            probes = tuple(
                _of_twin(probe, twin)
                for probe in (() if is_driven else plan.probes)
                if judges_empty or any(probe.alternatives)
            )
            own = case.success_ratio
            yield PlannedCase(
                number, probes, self.sampling.choose_ratio(own), self.sampling.is_decided_early(own)
            )

    async def _drive(self, driver: Driver, numbered: tuple[int, TestCase]) -> None:
        number, case = numbered
        assistant = self.assistant_of(case)
        plan = driver.collected.plans.get(number)
        is_done = number in driver.collected.drives
        if assistant is None or plan is None or is_done or driver.asker.budget.reason:
            return
        gold = {step.key.step - 1: step for step in driver.collected.by_case.get(number, ())}
        try:
            drive = await driver.drive(case, plan, CaseReplay(case, assistant, self.stage), gold)
        except (BudgetSpentError, NotAskedError):
            # An unfinished drive says nothing; its answers are kept, and a resumed run goes on with them.
            return
        driver.collected.drives[number] = drive
        if self.history == "predicted":
            driver.collected.by_case[number] = list(drive.steps)


def _of_twin(probe: Probe, twin: int) -> Probe:
    if not twin:
        return probe
    return replace(probe, request=replace(probe.request, place=replace(probe.request.place, twin=twin)))
