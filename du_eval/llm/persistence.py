"""Try again where that may help: when, how long to wait, and within which limits."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from msgspec import Struct, field

from du_eval.errors import BudgetSpentError, EndpointError, tell_count
from du_eval.llm.limits import Clock, SystemClock, Throttle
from du_eval.trust.secrets import hide_secrets

_WORTH_A_RETRY = frozenset({408, 409, 425, 429})
_ATTEMPTS_TO_CONNECT = 3
_FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "access_terminated"})


class RetryPolicy(Struct, frozen=True):
    """How often and how long a call may be tried."""

    attempts: int = 6
    first_wait_seconds: float = 0.5
    longest_wait_seconds: float = 30.0
    timeout_seconds: float = 60.0
    """For one attempt."""
    deadline_seconds: float = 300.0
    """For all attempts and the waits between them."""

    def wait_before(self, attempt: int, chance: float, asked_seconds: float | None) -> float:
        """Return the wait before an attempt (from 2): doubling, with jitter, not less than was asked for."""
        ceiling = min(self.longest_wait_seconds, self.first_wait_seconds * 2.0 ** (attempt - 2))
        jittered = ceiling * (0.5 + chance / 2)
        return jittered if asked_seconds is None else asked_seconds + ceiling * chance / 4


class AttemptFailure(Struct, frozen=True):
    """Why one attempt gave no answer."""

    cause: str
    is_retryable: bool = True
    is_refusal: bool = False
    """The endpoint said that it is asked too fast."""
    is_untouched: bool = False
    """Nothing has happened there: it was not reached, or closed the connection without a word."""
    is_unreached: bool = False
    """There was no connection at all."""
    retry_after_seconds: float | None = None


def classify_status(status: int, message: str, code: str, headers: Mapping[str, str]) -> AttemptFailure:
    """Return what an HTTP status means: a deterministic client error is never tried again."""
    is_final = code in _FINAL_CODES
    return AttemptFailure(
        cause=f"HTTP {status}{f': {message}' if message else ''}",
        is_retryable=(status in _WORTH_A_RETRY or status >= 500) and not is_final,
        is_refusal=status in {429, 503} and not is_final,
        retry_after_seconds=read_retry_after(headers, datetime.now(UTC)),
    )


def read_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks to wait: milliseconds, seconds or a date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("Retry-After")
    if text is None:
        return None
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        date = parsedate_to_datetime(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, (date - now).total_seconds())
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text is not None else None
    except ValueError:
        return None


T = TypeVar("T")


def _always() -> bool:
    return True


class Persistence(Struct):
    """Makes attempts at one endpoint until one succeeds or no further one makes sense."""

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    throttle: Throttle = field(default_factory=Throttle)
    secrets: tuple[str, ...] = ()
    may_call: Callable[[], bool] = _always
    """Asked before each attempt; False means that the budget is spent."""
    clock: Clock = field(default_factory=SystemClock)
    chance: Callable[[], float] = random.random
    _was_reached: bool = False
    _is_given_up: bool = False
    """No connection was ever made, and a call has used up its attempts: others make only one."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.policy!r})"  # secrets are in no message

    async def answer(
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
        self._was_reached |= not (isinstance(outcome, AttemptFailure) and outcome.is_unreached)
        if not isinstance(outcome, AttemptFailure):
            self.throttle.concurrency.went_well()
        elif outcome.is_refusal:
            self.throttle.concurrency.note_refusal(generation)
        return outcome

    def _wait_before(self, attempt: int, failure: AttemptFailure, spent: float, place: str) -> float:
        wait = self.policy.wait_before(attempt, self.chance(), failure.retry_after_seconds)
        tried = f"after {tell_count(attempt - 1, 'attempt')}"
        if failure.is_retryable and attempt <= self._count_attempts():
            if spent + wait <= self.policy.deadline_seconds:
                return wait
            tried += f"; the next one would come after the deadline of {self.policy.deadline_seconds:g} s"
        self._is_given_up = not self._was_reached
        error = EndpointError(hide_secrets(f"{place}: {failure.cause} ({tried})", self.secrets))
        error.retries = attempt - 2
        raise error

    def _count_attempts(self) -> int:
        """Return how many attempts a call has: few at a server that nobody has reached so far."""
        if self._was_reached:
            return self.policy.attempts
        return 1 if self._is_given_up else min(self.policy.attempts, _ATTEMPTS_TO_CONNECT)
