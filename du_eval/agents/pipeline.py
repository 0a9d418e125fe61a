"""From selected cases to results: connect, sample, journal."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from du_eval.agents.checks.base import Judges
from du_eval.agents.checks.table import ANY_OF
from du_eval.agents.connect import Connecting, Connector
from du_eval.agents.connections.base import AgentConnection
from du_eval.agents.converse import SampleSetting, run_sample
from du_eval.agents.journal import KeptSamples, TrialPlace, place_trial
from du_eval.agents.model import AgentCase, Connection
from du_eval.agents.results import AgentRun, AgentTrial, SampleResult
from du_eval.agents.sampling import SamplingRules, run_samples
from du_eval.errors import InputError, Problem
from du_eval.runs.journal import Journal
from du_eval.runs.outcome import Outcome


@dataclass(frozen=True, slots=True)
class RunSetting:
    """How a run goes."""

    sample: SampleSetting
    connecting: Connecting = field(default_factory=Connecting)
    concurrency: int = 8
    takes_all_samples: bool = False
    open_journal: Callable[[], Journal] | None = None
    """Called once, when every case is connected: what cannot run at all leaves nothing behind."""
    retries_errors: bool = False
    on_sample: Callable[[SampleResult], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class _Trial:
    """A case over one live connection."""

    case: AgentCase
    connection: Connection
    live: AgentConnection
    place: TrialPlace


def run_cases(cases: tuple[AgentCase, ...], setting: RunSetting) -> AgentRun:
    """Run cases and return what came of them, in their order."""
    return asyncio.run(_run(cases, setting))


async def _run(cases: tuple[AgentCase, ...], setting: RunSetting) -> AgentRun:
    start = time.perf_counter()
    connector = Connector(setting.connecting)
    try:
        trials = _trials(cases, connector, setting)
        kept = KeptSamples(setting.open_journal()) if setting.open_journal else None
        await _warmed(cases, setting.sample.judges)
        results, finished = await _all(trials, setting, kept)
    finally:
        await connector.aclose()
    signature = (
        f"{setting.sample.judges.signature}|samples:{'all' if setting.takes_all_samples else 'early-stop'}"
    )
    return AgentRun(results, time.perf_counter() - start, not finished, signature, kept.reused if kept else 0)


async def _warmed(cases: tuple[AgentCase, ...], judges: Judges) -> None:
    """Load the models that checks need before anything is timed; what cannot be loaded errs in its check."""
    checks = {one.check for case in cases for turn in case.interactions for one in turn.expectations}
    with suppress(Exception):
        if checks & {"gist", "similar", ANY_OF}:
            await judges.similarity.score("warm", "up")
    with suppress(Exception):
        if checks & {"toxicity_below", ANY_OF}:
            await judges.toxicity.score("warm up")


def _trials(cases: tuple[AgentCase, ...], connector: Connector, setting: RunSetting) -> list[_Trial]:
    """Connect every case; raises with all problems of all cases."""
    trials: list[_Trial] = []
    problems: list[Problem] = []
    signature = setting.sample.judges.signature
    for case in cases:
        for connection in case.connections:
            try:
                live = connector.connect(case, connection)
            except InputError as error:
                problems += error.problems
                continue
            trials.append(_Trial(case, connection, live, place_trial(case, connection, signature)))
    if problems:
        raise InputError(dict.fromkeys(problems))
    return trials


async def _all(
    trials: list[_Trial], setting: RunSetting, kept: KeptSamples | None
) -> tuple[tuple[AgentTrial, ...], bool]:
    """Run trials side by side; return the finished ones in order, and whether none was cut off."""
    rules = SamplingRules(asyncio.Semaphore(setting.concurrency), setting.takes_all_samples)
    results: dict[int, AgentTrial] = {}
    waiting = iter(enumerate(trials))

    async def work() -> None:
        for index, trial in waiting:
            samples = await _samples(trial, setting, rules, kept)
            results[index] = AgentTrial(trial.case, trial.connection, samples)

    workers = [asyncio.create_task(work()) for _ in range(min(setting.concurrency, len(trials)))]
    with _stopping_on_interrupt(workers):
        outcomes = await asyncio.gather(*workers, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not isinstance(outcome, asyncio.CancelledError):
            raise outcome
    return tuple(results[index] for index in sorted(results)), len(results) == len(trials)


async def _samples(
    trial: _Trial, setting: RunSetting, rules: SamplingRules, kept: KeptSamples | None
) -> tuple[SampleResult, ...]:
    found = kept.find(trial.place, trial.case.ratio.of) if kept else {}
    known = {
        number: sample
        for number, sample in found.items()
        if not (setting.retries_errors and sample.outcome is Outcome.ERRORED)
    }
    if kept:
        kept.reused += len(known)

    async def attempt(number: int) -> SampleResult:
        sample = await run_sample(trial.case, trial.live, number, setting.sample)
        if kept:
            kept.append(trial.place, sample)
        setting.on_sample(sample)
        return sample

    return await run_samples(trial.case, attempt, known, rules)


@contextmanager
def _stopping_on_interrupt(workers: list[asyncio.Task[None]]) -> Iterator[None]:
    """Let Ctrl-C end the workers and keep what is finished."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for worker in workers:
            worker.cancel()

    with suppress(NotImplementedError, RuntimeError, ValueError):
        if sys.platform != "win32":
            loop.add_signal_handler(signal.SIGINT, stop)
    try:
        yield
    finally:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)
