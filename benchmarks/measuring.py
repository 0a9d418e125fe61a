"""Time and memory of whole processes, so that one measurement does not colour the next."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """What a process used."""

    wall_seconds: float
    cpu_seconds: float
    peak_megabytes: float
    output: str
    exit_code: int


def cost_of(*command: str, environment: dict[str, str] | None = None) -> Cost:
    """Run a command to its end and measure it."""
    start = time.perf_counter()
    variables = {**os.environ, **(environment or {})}
    # Compiled modules are kept, as on any machine of a user: otherwise each start compiles all of them.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=variables
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(
        time.perf_counter() - start,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
        output,
        process.returncode,
    )


def python(code: str) -> Cost:
    """Run a piece of Python in a process of its own."""
    return cost_of(sys.executable, "-c", code)


def cli(*arguments: str) -> Cost:
    """Run du-eval in a process of its own."""
    return cost_of(sys.executable, "-m", "du_eval.cli", *arguments)
