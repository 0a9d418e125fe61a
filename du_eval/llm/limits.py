"""How fast an endpoint may be asked: calls at once, calls and tokens a minute, and pauses it asks for."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Protocol

from msgspec import Struct


class Clock(Protocol):
    """Tells the time and lets it pass."""

    def now(self) -> float:
        """Return seconds on a clock that never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Return the monotonic time."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Sleep without blocking others."""
        await asyncio.sleep(seconds)


class FakeClock:
    """A clock that moves only when somebody sleeps; remembers how long."""

    def __init__(self, start: float = 0.0) -> None:
        self.time = start
        self.slept: list[float] = []

    def now(self) -> float:
        """Return the time so far."""
        return self.time

    async def sleep(self, seconds: float) -> None:
        """Move the time forward at once."""
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


_BURST_SECONDS = 1.0
"""How much of a minute's allowance may be used at once."""


class Limits(Struct, frozen=True):
    """What a user allows; None is no limit."""

    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


class Pace:
    """Spreads an allowance over the minute, with bursts of at most a second's worth."""

    def __init__(self, per_minute: float, clock: Clock) -> None:
        self._seconds_each = 60.0 / per_minute
        self._clock = clock
        self._free_at = clock.now()

    def reserve(self, amount: float) -> float:
        """Take an amount out of the allowance; return how long to wait until it may be used."""
        now = self._clock.now()
        self._free_at = max(self._free_at, now - _BURST_SECONDS)
        wait = max(0.0, self._free_at - now)
        self.correct(amount)
        return wait

    def correct(self, amount: float) -> None:
        """Add to what was taken (or give back, if negative), once the true amount is known."""
        self._free_at += amount * self._seconds_each


class AdaptiveConcurrency:
    """Lets a number of calls run at once: halved when the endpoint complains, growing while it does not."""

    def __init__(self, maximum: int) -> None:
        self.maximum = max(1, maximum)
        self.limit = float(self.maximum)
        self._running = 0
        self._generation = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> int:
        """Wait for a free slot and take it; return the generation that a complaint refers to."""
        if self._running >= int(self.limit):
            await self._wait()
        else:
            self._running += 1
        return self._generation

    def give_back(self) -> None:
        """Free a slot that was taken."""
        self._running -= 1
        self._wake()

    async def _wait(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def _wake(self) -> None:
        while self._waiting and self._running < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self._running += 1
                turn.set_result(None)

    def went_well(self) -> None:
        """Grow by one once as many calls as the limit went well."""
        if self.limit < self.maximum:
            self.limit = min(float(self.maximum), self.limit + 1.0 / self.limit)
            self._wake()

    def note_refusal(self, generation: int) -> None:
        """Halve the limit; refusals of calls that started before the last cut belong to that cut."""
        if generation == self._generation:
            self._generation += 1
            self.limit = max(1.0, self.limit / 2)


class CallTurn:
    """One call's turn; a class, since a generator for each call costs more than the limits themselves."""

    __slots__ = ("_throttle", "_tokens")

    def __init__(self, throttle: Throttle, tokens: int) -> None:
        self._throttle = throttle
        self._tokens = tokens

    async def __aenter__(self) -> int:
        generation = await self._throttle.concurrency.take()
        try:
            await self._throttle.wait(self._tokens)
        except BaseException:
            self._throttle.concurrency.give_back()
            raise
        return generation

    async def __aexit__(self, *_: object) -> None:
        self._throttle.concurrency.give_back()


class Throttle:
    """All limits of one endpoint together."""

    def __init__(self, limits: Limits | None = None, clock: Clock | None = None) -> None:
        limits = limits or Limits()
        self._clock = clock or SystemClock()
        self.concurrency = AdaptiveConcurrency(limits.concurrency)
        self._requests = _pace(limits.requests_per_minute, self._clock)
        self._tokens = _pace(limits.tokens_per_minute, self._clock)
        self._paused_until = self._clock.now()

    def slot(self, tokens: int = 0) -> CallTurn:
        """Return the wait until a call of about this many tokens may be sent, for `async with`."""
        return CallTurn(self, tokens)

    async def wait(self, tokens: int) -> None:
        """Wait for the allowances of a minute, and for the end of a pause."""
        await self._wait(max(self._reserved(self._requests, 1), self._reserved(self._tokens, tokens)))
        while (pause := self._paused_until - self._clock.now()) > 0:
            await self._clock.sleep(pause)

    def correct(self, tokens: int) -> None:
        """Correct the token allowance by what a call used beyond its estimate."""
        if self._tokens is not None:
            self._tokens.correct(tokens)

    def pause(self, seconds: float) -> None:
        """Send nothing for a while: the endpoint asked for it."""
        self._paused_until = max(self._paused_until, self._clock.now() + seconds)

    @staticmethod
    def _reserved(pace: Pace | None, amount: float) -> float:
        return pace.reserve(amount) if pace is not None else 0.0

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._clock.sleep(seconds)


def _pace(per_minute: float | None, clock: Clock) -> Pace | None:
    return Pace(per_minute, clock) if per_minute else None
