"""Ask a generator about every probe, several at once, and keep the answers in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from du_eval.errors import DuEvalError, GeneratorError
from du_eval.evaluation.judge import StepJudge
from du_eval.evaluation.plan import Plan, Probe
from du_eval.evaluation.replay import Replay
from du_eval.evaluation.results import Drive, StepResult
from du_eval.generators.base import CommandGenerator, Prediction

OnResult = Callable[[StepResult], None]


async def ask(probe: Probe, generator: CommandGenerator) -> Prediction | DuEvalError:
    """Return the answer, or the reason there is none; time it where the generator gives no time."""
    start = time.perf_counter()
    try:
        answer: object = await generator.generate(probe.request)
    except GeneratorError as error:
        return error
    if not isinstance(answer, Prediction):
        return GeneratorError(f"the generator returned {type(answer).__name__} instead of a Prediction")
    if answer.latency_seconds is None:
        return replace(answer, latency_seconds=time.perf_counter() - start)
    return answer


@dataclass
class Collected:
    """Results by the number of their probe; holds what was finished when a run is interrupted."""

    by_number: dict[int, StepResult] = field(default_factory=dict)
    replays: dict[int, Replay] = field(default_factory=dict)
    """What replaying a case found, by the number of its first probe."""
    plans: dict[int, Plan] = field(default_factory=dict)
    """Plans that are needed again, by the number of their first probe: actions run once."""
    drives: dict[int, Drive] = field(default_factory=dict)
    """Cases driven by the generator's own commands, by the number of their first probe."""


@dataclass(frozen=True)
class Asker:
    """Asks a generator about probes, several at once."""

    generator: CommandGenerator
    judge: StepJudge
    concurrency: int = 8
    on_result: OnResult = lambda _: None

    async def ask_all(self, probes: Iterator[tuple[int, Probe]], collected: Collected) -> None:
        """Answer and judge all probes with some workers that share one queue."""
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, self.concurrency)):
                group.create_task(self._work(probes, collected))

    async def _work(self, probes: Iterator[tuple[int, Probe]], collected: Collected) -> None:
        for number, probe in probes:
            result = self.judge.judged(probe, await ask(probe, self.generator))
            collected.by_number[number] = result
            self.on_result(result)
