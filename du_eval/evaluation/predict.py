"""Ask a generator one question, and collect what became of all of them."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.errors import DuEvalError, EndpointError, GeneratorError
from du_eval.evaluation.plan import Plan, Probe
from du_eval.evaluation.replay import Replay
from du_eval.evaluation.step import DriveSeen, JudgedStep
from du_eval.generators.base import CommandGenerator, Prediction
from du_eval.runs.asking import AnswerStore, Asker
from du_eval.runs.budget import Budget
from du_eval.runs.record import Spent

OnResult = Callable[[JudgedStep], None]
Answer = Prediction | DuEvalError
ProbeStore = AnswerStore[Probe, Prediction]
ProbeAsker = Asker[Probe, Prediction, JudgedStep]


async def ask(probe: Probe, generator: CommandGenerator) -> Answer:
    """Return the answer, or the reason there is none; time it where the generator gives no time."""
    start = time.perf_counter()
    try:
        answer: object = await generator.generate(probe.request)
    except (GeneratorError, EndpointError) as error:
        return error
    if not isinstance(answer, Prediction):
        return GeneratorError(f"the generator returned {type(answer).__name__} instead of a Prediction")
    if answer.latency_seconds is None:
        return replace(answer, latency_seconds=time.perf_counter() - start)
    return answer


class Collected(Struct):
    """Results by case; holds what was finished when a run is interrupted."""

    by_case: dict[int, list[JudgedStep]] = field(default_factory=dict)
    replays: dict[int, Replay] = field(default_factory=dict)
    """What replaying a case found, by the number of the case."""
    plans: dict[int, Plan] = field(default_factory=dict)
    """Plans that are needed again, by the number of the case: actions run once."""
    drives: dict[int, DriveSeen] = field(default_factory=dict)
    """Cases driven by the generator's own commands, by the number of the case."""
    retries: int = 0
    cached: int = 0
    reused: int = 0

    def add(self, number: int, result: JudgedStep, answer: Answer, *, is_reused: bool) -> None:
        """Take in a result, and what its answer took."""
        self.by_case.setdefault(number, []).append(result)
        self.count(answer, is_reused=is_reused)

    def count(self, answer: Answer, *, is_reused: bool) -> None:
        """Take in what an answer took."""
        self.reused += is_reused
        if is_reused:
            return
        if not isinstance(answer, Prediction):
            # A generator tells in its own words what its endpoint did.
            cause = answer if isinstance(answer, EndpointError) else answer.__cause__
            self.retries += cause.retries if isinstance(cause, EndpointError) else 0
        else:
            self.retries += sum(prompt.retries for prompt in answer.prompts)
            self.cached += bool(answer.prompts) and all(prompt.is_cached for prompt in answer.prompts)

    def spent(self, budget: Budget) -> Spent:
        """Return what the run took."""
        return Spent(budget.calls, self.retries, self.cached, budget.cost or None, self.reused)
