"""Fit a cost model to measurements, and simulate what large jobs take: `python benchmarks/scaling.py`.

Times are CPU time, so that a busy machine does not change them. With given costs nothing is measured:

    python benchmarks/scaling.py --simulate --reply-ms 4.3 --merge-ms 0.05 --start-s 2

How much faster two workers are than one process, for metrics of a corpus and for an assessment, by the pool
and on Ray; whole commands, on an idle machine with two cores:

    python benchmarks/scaling.py --speed
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parent.parent
sys.path.insert(0, str(PROJECT))

from benchmarks.corpus_metrics import generate  # noqa: E402
from benchmarks.quality_assessment import dialogues, sentence  # noqa: E402
from du_eval.assembly.quality_run import build_worker  # noqa: E402
from du_eval.quality.config import read_config  # noqa: E402
from du_eval.quality.inputs import PIECE, Piece  # noqa: E402
from du_eval.quality.pipeline import Merging, PieceWork, assess_piece  # noqa: E402

REPLIES_PER_SHARD = PIECE * 20
SIZES = (1000, 2000, 4000)
DAY = 86_400
SPEED_MARK = 1.7
CORPUS_LINES, CORPUS_FILES = 60_000, 4
ASSESSED_REPLIES = 40_000
ENGINES = {"pool": ["--workers", "2"], "Ray": ["--engine", "ray", "--workers", "2"]}
COMMAND = """
import json, os, sys
from du_eval.cli.main import main
if __name__ == "__main__":
    try:
        main()
    finally:
        with open(os.environ["USED"], "w") as file:
            json.dump(sum(os.times()[:2]), file)
"""


@dataclass(frozen=True)
class Costs:
    """Seconds of CPU: for a reply in a worker, for merging what it says, and for starting a worker."""

    reply: float
    merge: float
    start: float


def measure() -> Costs:
    """Measure assessment at several sizes, and fit a line."""
    began = time.process_time()
    assessing = build_worker(read_config(None, {}))
    assess_piece(assessing, PieceWork(Piece(0, held=tuple(dialogues(100)))))
    start = time.process_time() - began
    points, merged = [], []
    for size in SIZES:
        talks = dialogues(size)
        began = time.process_time()
        # As in the middle of a large run: the sample is full, and all results are wanted.
        found = assess_piece(assessing, PieceWork(Piece(0, held=tuple(talks)), (b"", 0), is_packed=True))
        points.append((size, time.process_time() - began))
        sent = pickle.dumps(found)
        merging = Merging(assessing, is_large=True)
        began = time.process_time()
        merging.add(pickle.loads(sent))
        merged.append((time.process_time() - began) / size)
        each = points[-1][1] / size * 1000
        print(f"{size:6} replies: {each:.2f} ms each, {len(sent) / size:.0f} bytes of results")
    slope = (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
    return Costs(slope, sum(merged) / len(merged), start)


def simulate(costs: Costs, replies: int, workers: int, seed: int = 0) -> float:
    """Return the seconds of a job: workers take shards in order, one process merges what comes back."""
    chance = random.Random(seed)
    shards = max(1, replies // REPLIES_PER_SHARD)
    size = replies / shards
    if shards > 50_000:  # the flow is steady by then
        part = simulate(costs, 50_000 * REPLIES_PER_SHARD, workers, seed)
        return costs.start + (part - costs.start) * shards / 50_000
    free = [costs.start] * workers
    merged = 0.0
    for _ in range(shards):
        done = heapq.heappop(free) + size * costs.reply * chance.uniform(0.8, 1.2)
        heapq.heappush(free, done)
        merged = max(merged, done) + size * costs.merge
    return merged


def say_time(seconds: float) -> str:
    """Return a duration in the unit that reads best."""
    for unit, length in (("days", DAY), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def write_jobs(folder: Path, scale: float) -> dict[str, list[str]]:
    """Write a corpus and conversations; return the commands that measure and assess them."""
    os.environ.pop("DU_EVAL_PARITY_DATA", None)  # the corpus is always the one that is made here
    generate(folder, int(CORPUS_LINES * scale))
    lines = (folder / "responses/test_responses.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    for number in range(1, CORPUS_FILES):
        text = "".join(lines[number:] + lines[:number])
        (folder / f"responses/responses{number}.txt").write_text(text, encoding="utf-8")
    chance = random.Random(1)
    with (folder / "talks.jsonl").open("w", encoding="utf-8") as file:
        for number in range(int(ASSESSED_REPLIES * scale) // 20):
            said = [{"speaker": who, "text": sentence(chance)} for _ in range(20) for who in ("user", "bot")]
            file.write(json.dumps({"conversation": str(number), "turns": said}) + "\n")
    files = [
        "--source",
        "test_source.txt",
        "--target",
        "test_target.txt",
        "--train-source",
        "train_source.txt",
    ]
    files += ["--vocab", "vocab.txt", "--vectors", "embeddings.txt"]
    return {"metrics": ["metrics", "responses", *files], "assessment": ["quality", "assess", "talks.jsonl"]}


@dataclass(frozen=True)
class Spent:
    """Seconds of a command: by the clock, and of CPU in the command and in each process that it started."""

    wall: float
    command: float
    workers: list[float]
    printed: str

    @property
    def least(self) -> float:
        """What it takes on an idle machine, if the command works only while no worker does."""
        return self.command + max(self.workers, default=0.0)


def run_command(folder: Path, words: list[str]) -> Spent:
    """Return what a command takes, with one thread of linear algebra in each process."""
    script, used, printed = folder / "command.py", folder / "used.json", folder / "printed.txt"
    script.write_text(COMMAND, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "USED": str(used), "OPENBLAS_NUM_THREADS": "1"}
    began, seen = time.monotonic(), dict[int, float]()
    with printed.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(
            [sys.executable, script, *words],
            cwd=folder, env=environment, stdout=file, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        while process.poll() is None:
            time.sleep(0.1)
            seen |= look_at_session(process.pid)
    wall = time.monotonic() - began
    assert process.returncode == 0, f"{words} ended with {process.returncode}"
    seen.pop(process.pid, None)
    command = json.loads(used.read_text(encoding="utf-8"))
    return Spent(wall, command, sorted(seen.values(), reverse=True), printed.read_text(encoding="utf-8"))


def look_at_session(session: int) -> dict[int, float]:
    """Return the seconds of CPU of each process of a session so far."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            if int(fields[3]) == session:
                found[int(path.parent.name)] = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return found


def compare_speed(scale: float) -> None:
    """Print how much faster two workers do each job than one process does; the output must be the same."""
    with tempfile.TemporaryDirectory(prefix="speed-") as name:
        for job, words in write_jobs(Path(name), scale).items():
            alone = run_command(Path(name), [*words, "--workers", "1"])
            print(
                f"{job}, one process: {alone.wall:.1f} s by the clock, {alone.command:.1f} s of CPU",
                flush=True,
            )
            for engine, options in ENGINES.items():
                two = run_command(Path(name), [*words, *options])
                assert two.printed == alone.printed, f"{job}: {engine} says something else"
                ratio = alone.wall / two.wall
                reached = "reached" if ratio >= SPEED_MARK else "not reached"
                print(f"{job}, two workers, {engine}: {two.wall:.1f} s by the clock:", end=" ")
                print(f"{ratio:.2f} times as fast ({SPEED_MARK} {reached})", flush=True)
                told = ", ".join(f"{one:.1f}" for one in two.workers[:4])
                print(f"  CPU: command {two.command:.1f} s, busiest of what it started {told} s:", end=" ")
                print(f"at least {alone.command / two.least:.2f} times as fast on an idle machine")


def main() -> None:
    """Measure or take costs, and print what jobs take."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--speed", action="store_true", help="compare two workers with one process")
    parser.add_argument("--scale", type=float, default=1.0, help="of --speed: part of the full size")
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--reply-ms", type=float, default=4.0)
    parser.add_argument("--merge-ms", type=float, default=0.05)
    parser.add_argument("--start-s", type=float, default=2.0)
    asked = parser.parse_args()
    if asked.speed:
        compare_speed(asked.scale)
        return
    given = Costs(asked.reply_ms / 1000, asked.merge_ms / 1000, asked.start_s)
    costs = given if asked.simulate else measure()
    print(f"a reply takes {costs.reply * 1000:.2f} ms, merging it {costs.merge * 1000:.3f} ms,", end=" ")
    print(f"starting a worker {costs.start:.1f} s")
    most = costs.reply / costs.merge
    print(f"one process merges what {most:.0f} workers do")
    counts = (1, 2, 16, 64, 256)
    print("replies      " + "".join(f"{workers:>12}" for workers in counts) + "   workers")
    for replies in (10_000, 1_000_000, 100_000_000, 1_000_000_000):
        times = [say_time(simulate(costs, replies, workers)) for workers in counts]
        print(f"{replies:<13,}" + "".join(f"{one:>12}" for one in times))
    print("calls of a model at 1 s each: million calls by requests at once")
    for at_once in (8, 64, 512):
        print(f"  {at_once:4} at once: {say_time(1_000_000 / at_once)}, {at_once * 60:,} requests a minute")


if __name__ == "__main__":
    main()
