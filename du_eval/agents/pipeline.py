"""From selected cases to their record: connect, take samples, judge."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.agents.checks.base import Judges
from du_eval.agents.checks.evaluate import ANY_OF
from du_eval.agents.connect import Connecting, Connector
from du_eval.agents.connections.base import AgentConnection
from du_eval.agents.converse import SampleSetting, run_sample
from du_eval.agents.model import AgentCase
from du_eval.agents.record import KIND, AgentRun, record_agent, record_sample, record_trial
from du_eval.agents.results import AgentTalk, KeptSamples, SampleResult, Trial
from du_eval.errors import DuEvalError, InputError, Problem
from du_eval.runs.asking import Asker, Finished, NotAskedError
from du_eval.runs.journal import Journal
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Head, Key, Spent, Status
from du_eval.runs.schedule import PlannedCase, Schedule
from du_eval.statistics.success import SuccessRatio


class SamplesApart(Protocol):
    """Takes samples in other processes."""

    async def ask(self, question: Key, /) -> SampleResult:
        """Return a sample of the case and connection that a key tells."""
        ...

    async def aclose(self) -> None:
        """Let go of the workers."""
        ...


class RunSetting(Struct, frozen=True):
    """How a run goes."""

    sample: SampleSetting
    connecting: Connecting = field(default_factory=Connecting)
    concurrency: int = 8
    takes_all_samples: bool = False
    open_journal: Callable[[], Journal] | None = None
    """Called once, when every case is connected: what cannot run at all leaves nothing behind."""
    retries_errors: bool = False
    on_sample: Callable[[], None] = lambda: None
    """Called when a sample is over."""
    apart: SamplesApart | None = None
    """Who takes samples in other processes."""


def run_cases(cases: Sequence[AgentCase], setting: RunSetting, head: Head | None = None) -> AgentRun:
    """Run cases and return their record, in their order; after an interruption, of those that were over."""
    runner, start = _Runner(setting), time.perf_counter()
    status = Status.FINISHED
    try:
        asyncio.run(runner.run(cases))
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    made = replace(
        head or Head(KIND.name),
        seconds=time.perf_counter() - start,
        status=status,
        signature=sign_samples(setting.sample.judges, takes_all=setting.takes_all_samples),
        spent=Spent(reused=runner.reused),
    )
    return record_agent(tuple(runner.list_cases(is_whole=status is Status.FINISHED)), made)


def sign_samples(judges: Judges, *, takes_all: bool) -> str:
    """Return what the numbers of a run depend on."""
    return f"{judges.signature}|samples:{'all' if takes_all else 'early-stop'}"


class _Runner:
    """Asks the cases of one run; one use."""

    def __init__(self, setting: RunSetting) -> None:
        self.reused = 0
        self._setting = setting
        self._trials: list[Trial] = []
        self._live: dict[Key, AgentConnection] = {}
        self._found: dict[int, list[tuple[Trial, SampleResult]]] = defaultdict(list)
        self._ends: dict[Key, float] = {}

    async def run(self, cases: Sequence[AgentCase]) -> None:
        """Connect all cases, then take their samples."""
        setting = self._setting
        connector = Connector(setting.connecting)
        try:
            self._connect(cases, connector)
            asker: Asker[Trial, SampleResult, SampleResult] = Asker(self._ask, _judge)
            if setting.open_journal:
                asker = replace(asker, store=KeptSamples(setting.open_journal(), setting.retries_errors))
            await _warmed(cases, setting.sample.judges)
            planned = (
                PlannedCase(number, (trial,), trial.case.ratio, not setting.takes_all_samples)
                for number, trial in enumerate(self._trials)
            )
            await asker.ask_all(Schedule(planned), setting.concurrency, self._note)
        finally:
            await connector.aclose()
            if setting.apart is not None:
                await setting.apart.aclose()

    def list_cases(self, *, is_whole: bool) -> Iterator[Case[AgentTalk]]:
        """Yield the cases in their order; without those that an interruption left undecided."""
        for number, trial in enumerate(self._trials):
            case = record_trial(trial, [record_sample(*one) for one in self._found[number]])
            if is_whole or self._is_over(case, trial.case.ratio):
                yield case

    def _is_over(self, case: Case[AgentTalk], ratio: SuccessRatio) -> bool:
        counts = (len(case.results_that(one)) for one in (Outcome.PASSED, Outcome.FAILED))
        is_decided = not self._setting.takes_all_samples and ratio.decision(*counts) is not None
        return is_decided or len(case.results) == ratio.of

    def _connect(self, cases: Sequence[AgentCase], connector: Connector) -> None:
        """Connect every case; raise with all problems of all cases."""
        problems: list[Problem] = []
        signature = self._setting.sample.judges.signature
        connections = ((case, one) for case in cases for one in case.connections)
        for case, connection in connections:
            try:
                live = connector.connect(case, connection)
            except InputError as error:
                problems += error.problems
                continue
            self._trials.append(Trial.of(case, connection, signature))
            self._live[self._trials[-1].key] = live
        if problems:
            raise InputError(dict.fromkeys(problems))

    async def _ask(self, trial: Trial) -> SampleResult:
        """Take one sample within the time of its case, which begins with the first of them."""
        seconds = trial.case.timeout_seconds
        if seconds is None:
            return await self._take(trial)
        now = asyncio.get_running_loop().time()
        end = self._ends.setdefault(replace(trial.key, sample=1), now + seconds)
        if now >= end:
            raise NotAskedError("the time limit of the case has passed")
        try:
            async with asyncio.timeout_at(end) as limit:
                return await self._take(trial)
        except TimeoutError:
            if not limit.expired():
                raise
            message = f"the time limit of the case, {seconds:g} s for all samples, ran out"
            return SampleResult(error=message, seconds=seconds)

    async def _take(self, trial: Trial) -> SampleResult:
        first = replace(trial.key, sample=1)
        if self._setting.apart is not None:
            return await self._setting.apart.ask(first)
        live = self._live[first]
        return await run_sample(trial.case, live, self._setting.sample)

    def _note(self, finished: Finished[Trial, SampleResult, SampleResult]) -> None:
        self.reused += finished.is_reused
        self._found[finished.number].append((finished.item, finished.result))
        self._setting.on_sample()


def _judge(_: Trial, answer: SampleResult | DuEvalError) -> SampleResult:
    """Return a sample, whose checks were held against each answer as it came."""
    return SampleResult(error=str(answer)) if isinstance(answer, DuEvalError) else answer


async def _warmed(cases: Iterable[AgentCase], judges: Judges) -> None:
    """Load the models that checks need before anything is timed; what cannot be loaded errs in its check."""
    checks = {one.check for case in cases for turn in case.interactions for one in turn.expectations}
    with suppress(Exception):
        if checks & {"gist", "similar", ANY_OF}:
            await judges.similarity.score("warm", "up")
    with suppress(Exception):
        if checks & {"toxicity_below", ANY_OF}:
            await judges.toxicity.score("warm up")
