"""Whether paid work survives: runs that are killed many times, and endpoints that misbehave.

The test suite has short versions of both; this is the long one.

    python benchmarks/runs_survival.py [--kills 30] [--steps 2000]
"""

from __future__ import annotations

import argparse
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
from tests.llm.chat_server import Behaviour, ChatServer  # noqa: E402


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
    """Ask an endpoint of which a share of answers is broken in one of ten ways."""
    behaviour = Behaviour(right, fault_rate=rate, hang_seconds=30.0, seed=int(rate * 100))
    with tempfile.TemporaryDirectory() as name, ChatServer(behaviour) as server:
        folder = Path(name)
        write_suite(folder, cases=steps // 4, steps=4)
        limits = ("--timeout", "1", "--max-attempts", "5", "-n", "64")
        started(folder, *asking(server, "report.json", *limits)).wait()
        data: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        twice = sum(count > 1 for count in server.answered.values())
        errors = [s["error"] for c in data["test_cases"] for s in c["steps"] if s["outcome"] == "errored"]
    counts = data["steps"]
    print(
        f"{rate:4.0%} faults, {steps} steps: {counts['passed']} answered, {len(errors)} errored with a cause,"
    )
    print(
        f"  {steps - sum(counts.values())} lost, {twice} answered twice, {data['spent']['retries']} retries"
    )
    assert all(errors)
    assert counts["failed"] == 0


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
