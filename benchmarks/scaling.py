"""Fit a cost model to measurements, and simulate what large jobs take: `python benchmarks/scaling.py`.

Times are CPU time, so that a busy machine does not change them. With given costs nothing is measured:

    python benchmarks/scaling.py --simulate --reply-ms 4.3 --merge-ms 0.05 --start-s 2
"""

from __future__ import annotations

import argparse
import heapq
import pickle
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parent.parent
sys.path.insert(0, str(PROJECT))

from benchmarks.quality_assessment import dialogues  # noqa: E402
from du_eval.assembly.quality_run import build_worker  # noqa: E402
from du_eval.quality.config import read_config  # noqa: E402
from du_eval.quality.inputs import PIECE, Piece  # noqa: E402
from du_eval.quality.pipeline import Merging, PieceWork, assess_piece  # noqa: E402

REPLIES_PER_SHARD = PIECE * 20
SIZES = (1000, 2000, 4000)
DAY = 86_400


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


def main() -> None:
    """Measure or take costs, and print what jobs take."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--reply-ms", type=float, default=4.0)
    parser.add_argument("--merge-ms", type=float, default=0.05)
    parser.add_argument("--start-s", type=float, default=2.0)
    asked = parser.parse_args()
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
