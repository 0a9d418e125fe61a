"""Time as a value that is passed in: the real clock, and one that tests turn by hand."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


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
