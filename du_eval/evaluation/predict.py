"""Ask a generator about every probe, several at once, and keep the answers in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from du_eval.errors import DuEvalError, GeneratorError
from du_eval.evaluation.judge import StepJudge
from du_eval.evaluation.plan import Probe
from du_eval.evaluation.results import StepResult
from du_eval.generators.base import CommandGenerator, Prediction

OnResult = Callable[[StepResult], None]


async def ask(probe: Probe, generator: CommandGenerator) -> Prediction | DuEvalError:
    """Return the answer, or the reason there is none; the time it took is measured where the generator gives none."""
    start = time.perf_counter()
    try:
        answer = await generator.generate(probe.request)
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


async def judge_all(
    probes: Iterator[tuple[int, Probe]],
    generator: CommandGenerator,
    judge: StepJudge,
    collected: Collected,
    *,
    concurrency: int = 8,
    on_result: OnResult = lambda _: None,
) -> None:
    """Answer and judge all probes with some workers that share one queue."""

    async def work() -> None:
        for number, probe in probes:
            answer = await ask(probe, generator)
            result = judge.judged(probe, answer)
            collected.by_number[number] = result
            on_result(result)

    async with asyncio.TaskGroup() as group:
        for _ in range(max(1, concurrency)):
            group.create_task(work())
