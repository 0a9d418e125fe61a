"""How the time of a task grows with its size, which says the same on every machine."""

from __future__ import annotations

import time
from collections.abc import Callable

FACTOR = 6
TRIES = 3


def assert_grows_evenly(task: Callable[[int], object], size: int, what: str = "") -> None:
    """Fail where six times the size takes nearly 36 times the processor time."""
    grown = _measure(task, size * FACTOR) / max(_measure(task, size), 1e-4)
    assert grown < FACTOR * FACTOR * 0.75, f"{FACTOR} times the size takes {grown:.1f} times the time {what}"


def _measure(task: Callable[[int], object], size: int) -> float:
    times = []
    for _ in range(TRIES):
        start = time.process_time()
        task(size)
        times.append(time.process_time() - start)
    return min(times)
