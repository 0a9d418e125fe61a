"""Try again where that may help: within limits of attempts, time and money."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from du_eval.errors import BudgetSpentError, EndpointError
from du_eval.llm.clock import Clock, SystemClock
from du_eval.llm.limits import Throttle
from du_eval.llm.retries import AttemptFailure, RetryPolicy
from du_eval.llm.secrets import hidden

T = TypeVar("T")


def _always() -> bool:
    return True


@dataclass
class Persistence:
    """Makes attempts at one endpoint until one succeeds or no further one makes sense."""

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    throttle: Throttle = field(default_factory=Throttle)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    may_call: Callable[[], bool] = _always
    """Asked before each attempt; False means that the budget is spent."""
    clock: Clock = field(default_factory=SystemClock)
    chance: Callable[[], float] = random.random

    async def answered(
        self, attempt: Callable[[], Awaitable[T | AttemptFailure]], place: str, tokens: int = 0
    ) -> tuple[T, int]:
        """Return the first answer and how many retries it took; raise EndpointError with the last cause."""
        start = self.clock.now()
        retries = 0
        while True:
            outcome = await self._once(attempt, tokens)
            if not isinstance(outcome, AttemptFailure):
                return outcome, retries
            retries += 1
            wait = self._wait_before(retries + 1, outcome, self.clock.now() - start, place)
            if outcome.is_refusal and outcome.retry_after_seconds is not None:
                self.throttle.pause(outcome.retry_after_seconds)
            await self.clock.sleep(wait)

    async def _once(
        self, attempt: Callable[[], Awaitable[T | AttemptFailure]], tokens: int
    ) -> T | AttemptFailure:
        async with self.throttle.slot(tokens) as generation:
            if not self.may_call():
                raise BudgetSpentError("the budget allows no further call")
            outcome = await attempt()
        if not isinstance(outcome, AttemptFailure):
            self.throttle.concurrency.went_well()
        elif outcome.is_refusal:
            self.throttle.concurrency.was_refused(generation)
        return outcome

    def _wait_before(self, attempt: int, failure: AttemptFailure, spent: float, place: str) -> float:
        wait = self.policy.wait_before(attempt, self.chance(), failure.retry_after_seconds)
        tried = f"after {attempt - 1} attempt{'s' if attempt > 2 else ''}"
        if failure.is_retryable and attempt <= self.policy.attempts:
            if spent + wait <= self.policy.deadline_seconds:
                return wait
            tried += f"; the next would be later than the deadline of {self.policy.deadline_seconds:g} s"
        raise EndpointError(hidden(f"{place}: {failure.cause} ({tried})", self.secrets))
