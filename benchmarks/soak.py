"""Run for a long time in one process, with faults, and see whether memory and handles stay flat: `make soak`.

python benchmarks/soak.py [--minutes 10]
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).parent.parent
sys.path.insert(0, str(PROJECT))

from du_eval.cli.main import main as call  # noqa: E402
from tests.cli.networked import right, write_suite  # noqa: E402
from tests.llm.chat_server import Behaviour, ChatServer  # noqa: E402

WARM_UP = 3
MOST_GROWTH = 1.1


def look() -> tuple[float, int]:
    """Return the memory of this process in megabytes, and its open handles."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir("/proc/self/fd"))


def run_once(server: ChatServer) -> None:
    """Run a suite against a server that fails in one of ten calls, keep the run, and remove it."""
    model = ["-g", "llm", "--model", "m", "--base-url", server.base_url, "--prompt", "bare.jinja2"]
    test = ["test", "suite.yml", *model, "--no-cache", "-n", "16", "-q"]
    for words in (test, ["runs", "rm", "--keep", "0", "-y"]):
        with contextlib.ExitStack() as stack:
            for quiet in (contextlib.redirect_stdout, contextlib.redirect_stderr):
                stack.enter_context(quiet(io.StringIO()))
            stack.enter_context(contextlib.suppress(SystemExit))
            call(words)


def main() -> None:
    """Repeat runs, and fail where memory or handles grow."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    minutes = parser.parse_args().minutes
    behaviour = Behaviour(right, fault_rate=0.1, hang_seconds=0.2)
    with tempfile.TemporaryDirectory() as folder, ChatServer(behaviour, keeps_bodies=False) as server:
        os.chdir(folder)
        write_suite(Path(folder), cases=50, steps=4)
        seen: list[tuple[float, int]] = []
        end = time.monotonic() + minutes * 60
        while time.monotonic() < end or len(seen) <= 2 * WARM_UP:
            run_once(server)
            server.headers.clear()
            gc.collect()  # what is only waiting to be collected is no leak
            seen.append(look())
        os.chdir(PROJECT)
    first, last = seen[WARM_UP], seen[-1]
    print(f"{len(seen)} runs of 200 steps: {first[0]:.0f} MB and {first[1]} handles after {WARM_UP} runs,")
    print(f"{last[0]:.0f} MB and {last[1]} handles at the end")
    sys.exit(last[0] > first[0] * MOST_GROWTH or last[1] > first[1] + 2)


if __name__ == "__main__":
    main()
