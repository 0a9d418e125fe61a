"""How many samples a case takes: no more than decide it, unless all are wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from du_eval.agents.model import AgentCase
from du_eval.agents.results import SampleResult
from du_eval.runs.outcome import Outcome
from du_eval.statistics.success import SuccessRatio

Attempt = Callable[[int], Awaitable[SampleResult]]


@dataclass(frozen=True, slots=True)
class SamplingRules:
    """How samples share the machine, and whether all of them are wanted."""

    slots: asyncio.Semaphore
    takes_all: bool = False


def is_decided(ratio: SuccessRatio, samples: Mapping[int, SampleResult]) -> bool:
    """Return whether enough samples passed, or too few are left to pass."""
    passed = sum(sample.outcome is Outcome.PASSED for sample in samples.values())
    left = ratio.of - len(samples)
    return passed >= ratio.needed or passed + left < ratio.needed


async def run_samples(
    case: AgentCase, attempt: Attempt, known: Mapping[int, SampleResult], rules: SamplingRules
) -> tuple[SampleResult, ...]:
    """Return the samples of a case in order, those already known among them."""
    sampling = _Sampling(case, attempt, rules)
    sampling.done.update(known)
    try:
        await sampling.run()
    finally:
        await sampling.stop()
    return tuple(sampling.done[number] for number in sorted(sampling.done))


class _Sampling:
    """The samples of one case over one connection; one use."""

    def __init__(self, case: AgentCase, attempt: Attempt, rules: SamplingRules) -> None:
        self.done: dict[int, SampleResult] = {}
        self._case = case
        self._attempt = attempt
        self._rules = rules
        self._running: dict[asyncio.Task[SampleResult], int] = {}
        self._limit: asyncio.Timeout | None = None

    async def run(self) -> None:
        """Take samples until the case is decided, all are taken, or its time is up."""
        try:
            async with asyncio.timeout(None) as self._limit:
                while self._launched():
                    await self._wait_for_one()
        except TimeoutError:
            if self._limit is None or not self._limit.expired():
                raise
            message = f"the time limit of the case, {self._case.timeout_seconds:g} s for all samples, ran out"
            for number in self._running.values():
                self.done[number] = SampleResult(
                    number, error=message, seconds=self._case.timeout_seconds or 0
                )

    async def stop(self) -> None:
        """Cancel what still runs."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()

    def _launched(self) -> bool:
        """Start as many samples as can be needed now; return whether any runs."""
        ratio = self._case.ratio
        if not self._rules.takes_all and is_decided(ratio, self.done):
            return False
        passed = sum(sample.outcome is Outcome.PASSED for sample in self.done.values())
        wanted = ratio.of if self._rules.takes_all else ratio.needed - passed
        taken = {*self.done, *self._running.values()}
        for number in range(1, ratio.of + 1):
            if len(self._running) >= wanted:
                break
            if number not in taken:
                self._running[asyncio.create_task(self._one(number))] = number
        return bool(self._running)

    async def _one(self, number: int) -> SampleResult:
        async with self._rules.slots:
            self._start_clock()
            return await self._attempt(number)

    def _start_clock(self) -> None:
        seconds, limit = self._case.timeout_seconds, self._limit
        if seconds is not None and limit is not None and limit.when() is None:
            limit.reschedule(asyncio.get_running_loop().time() + seconds)

    async def _wait_for_one(self) -> None:
        finished, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        for task in finished:
            number = self._running.pop(task)
            self.done[number] = task.result()
