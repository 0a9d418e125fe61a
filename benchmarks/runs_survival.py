"""Whether paid work survives: runs that are killed many times, and endpoints that misbehave.

The test suite has short versions of both; this is the long one.

    python benchmarks/runs_survival.py [--kills 30] [--steps 2000]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent
sys.path.insert(0, str(PROJECT))

from tests.cli.networked import comparable, right, write_suite, wrong_for  # noqa: E402
from tests.llm.chat_server import FAULTS, ODD_FAULTS, Behaviour, ChatServer  # noqa: E402


def started(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start du-eval in a folder."""
    command = [sys.executable, "-m", "du_eval.cli", "test", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "DU_EVAL_CACHE_DIR": str(folder / "cache")}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, stdout=quiet, stderr=quiet, env=environment)


def asking(server: ChatServer, report: str, *more: str) -> list[str]:
    """Return the arguments of a run against the server."""
    model = ["-g", "llm", "--model", "m", "--base-url", server.base_url, "--prompt", "bare.jinja2"]
    return ["suite.yml", *model, "--no-cache", "-n", "16", "--output-file", report, *more]


def records(folder: Path) -> Counter[str]:
    """Return how many samples of each question the journal has."""
    found: Counter[str] = Counter()
    for journal in (folder / ".du-eval/runs").glob("*/journal.jsonl"):
        for line in journal.read_bytes().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            found[f"say {record['case'].split()[1]} {record['step'] - 1}"] += 1
    return found


def killed_many_times(steps: int, kills: int) -> None:
    """Kill a run at random points, resume it, and compare it with one that nobody disturbed."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name, ChatServer(Behaviour(wrong_for(3, 7), delay=0.02)) as server:
        folder = Path(name)
        write_suite(folder, cases=steps // 4, steps=4)
        process = started(folder, *asking(server, "killed.json"))
        while not records(folder):
            time.sleep(0.05)
        done, finished = 0, dict[str, int]()
        for _ in range(kills):
            time.sleep(chance.uniform(0.5, 2.5))
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
            finished = {question: server.asked[question] for question in records(folder)}
            process = started(folder, "--resume", "--output-file", "killed.json")
        process.wait()
        asked_again = sum(server.asked[question] != count for question, count in finished.items())
        calls = server.calls
        server.behaviour.delay = 0.0
        started(folder, *asking(server, "whole.json")).wait()
        same = comparable(folder / "killed.json") == comparable(folder / "whole.json")
    print(f"{steps} steps, killed {done} times: report equals the undisturbed one: {same};")
    print(
        f"  finished steps asked again: {asked_again}; calls {calls} (in flight when killed: {calls - steps})"
    )


def misbehaving(steps: int, rate: float) -> None:
    """Ask an endpoint of which a share of answers is broken in one of twenty ways."""
    faults = (*FAULTS, *ODD_FAULTS)
    behaviour = Behaviour(right, fault_rate=rate, faults=faults, hang_seconds=30.0, seed=int(rate * 100))
    with tempfile.TemporaryDirectory() as name, ChatServer(behaviour) as server:
        folder = Path(name)
        write_suite(folder, cases=steps // 4, steps=4)
        limits = ("--timeout", "5", "--max-attempts", "5", "-n", "64")
        process = started(folder, *asking(server, "report.json", *limits))
        peak = watch_memory(process)
        data: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        twice = sum(count > 1 for count in server.answered.values())
    results = [result for case in data["cases"] for result in case["results"]]
    counts = Counter(result["outcome"] for result in results)
    errors = [result.get("error") for result in results if result["outcome"] == "errored"]
    print(f"{rate:4.0%} faults of {len(faults)} kinds, {steps} steps: {counts['passed']} answered,", end=" ")
    print(f"{len(errors)} errored with a cause, {steps - len(results)} lost, {twice} answered twice,")
    print(f"  {data['head']['spent'].get('retries', 0)} retries, at most {peak:.0f} MB")
    assert all(errors)
    assert counts["failed"] == 0
    assert len(results) == steps


def watch_memory(process: subprocess.Popen[bytes]) -> float:
    """Wait for a process; return the most memory that it had, in megabytes."""
    peak = 0
    while process.poll() is None:
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8").splitlines()
            peak = int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
        time.sleep(0.02)
    return peak / 1000


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--steps", type=int, default=2000)
    given = parser.parse_args()
    killed_many_times(given.steps, given.kills)
    for rate in (0.03, 0.1, 0.3):
        misbehaving(given.steps, rate)


if __name__ == "__main__":
    main()
