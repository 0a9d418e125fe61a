"""Work for the engines of the tests: workers import it by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from du_eval.errors import InputError, MissingExtraError, Problem
from du_eval.runs.engine import EngineTask, WorkEngine


def prepare(plan: dict) -> dict:
    """Note that a worker began."""
    folder = plan.get("folder")
    if folder:
        (Path(folder) / f"prepared-{os.getpid()}").touch()
    return plan


def square(plan: dict, item: int) -> tuple[int, int]:
    """Return a square with who computed it."""
    return item * item, os.getpid()


def total(plan: dict, item: int) -> float:
    """Return a sum over a large array that every worker sees."""
    values = plan["values"]
    assert not values.flags.writeable or plan.get("is_here")
    return float(np.sum(values * item))


def fail(plan: dict, item: int) -> int:
    """Raise for one of the pieces."""
    if item == 3:
        raise InputError(Problem("replies.jsonl", 3, "is not JSON", "one object a line"))
    if item == 5:
        raise MissingExtraError("ray", "ray")
    return item


def die_once(plan: dict, item: int) -> int:
    """Kill this process at one piece, the first time that it is done."""
    mark = Path(plan["folder"]) / "died"
    if item == plan["at"] and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item * 10


def tell_held_back(plan: dict, item: int) -> bool:
    """Tell whether Ctrl-C cannot reach this process, not even while it starts."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def linger(plan: dict, item: int) -> None:
    """Work for a long time."""
    time.sleep(60)


def sleep_long(plan: dict, item: int) -> tuple[float, float]:
    """Sleep long for the first piece; return when a piece was begun and ended."""
    begun = time.monotonic()
    time.sleep(2.0 if item == 0 else 0.01)
    return begun, time.monotonic()


def check_nobody_waits(engine: WorkEngine) -> None:
    """Check that one worker does all other pieces while another one has a slow piece."""
    task = EngineTask(prepare, {}, sleep_long)
    list(engine.map(task, range(1, 5)))  # both workers have begun
    (_, ended), *others = engine.map(task, range(12))
    assert sum(begun < ended for begun, _ in others) >= 10


def die(plan: dict, item: int) -> int:
    """Kill this process, always."""
    os.kill(os.getpid(), signal.SIGKILL)
    return item
