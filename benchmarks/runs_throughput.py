"""How close runs against a model come to what its latency allows, and what they need for it.

A loopback server in a process of its own answers every question after 50 ms. Ratios compare measurements of
this very run; errors are shown next to each of them, since throughput without its errors means nothing.

    python benchmarks/runs_throughput.py            2,000 steps, and 20,000 for the memory
    python benchmarks/runs_throughput.py --short    200 steps, for a quick look
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measuring import Cost, cost_of

PROJECT = Path(__file__).parent.parent
LATENCY = 0.05
CONCURRENCY = 64


BARE = """
import asyncio, json, sys, time
import aiohttp

async def main(address, steps, concurrency):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 5000}]})
    left = iter(range(steps))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def work():
            for _ in left:
                async with session.post(address + "/chat/completions", data=body) as answer:
                    json.loads(await answer.read())["choices"]
        start = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(concurrency)))
        print(time.perf_counter() - start)

asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""
"""The same questions without du-eval: what this machine allows at this moment."""


@dataclass(frozen=True)
class Measured:
    """One run of the command line."""

    steps: int
    errors: int
    seconds: float
    cost: Cost


@contextmanager
def server() -> Iterator[str]:
    """Run the server and give its address."""
    script = PROJECT / "benchmarks" / "runs_server.py"
    command = [sys.executable, str(script), str(LATENCY)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.terminate()
        process.wait(10)


def write_suite(folder: Path, steps: int) -> Path:
    """Write cases of five steps each about the example assistant."""
    lines = ["test_cases:"]
    for case in range(steps // 5):
        lines += [f"  - test_case: case {case}", "    steps:"]
        for step in range(5):
            lines += [f"      - user: message {step} of case {case}", "        commands: [ChitChat()]"]
            lines += ["      - bot: Alright, what else can I do for you?"]
    file = folder / f"suite_{steps}.yml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def run(folder: Path, address: str, steps: int, concurrency: int, *more: str) -> Cost:
    """Run du-eval on a fresh suite, without the cache."""
    return cost_of(
        *(sys.executable, "-m", "du_eval.cli", "test", str(write_suite(folder, steps)), "-q"),
        *("-g", "llm", "--model", "m", "--base-url", address, "--no-cache", "-n", str(concurrency)),
        *("--assistant", str(PROJECT / "examples" / "bank"), "--runs-dir", str(folder / "runs"), *more),
    )


def peak(folder: Path, address: str, steps: int) -> float:
    """Return the peak memory of a run that writes no report file."""
    cost = run(folder, address, steps, CONCURRENCY, "--no-output")
    assert f"{steps} passed, 0 failed" in cost.output, cost.output[-500:]
    return cost.peak_megabytes


def measured(folder: Path, address: str, steps: int, concurrency: int) -> Measured:
    """Run du-eval and read its report."""
    report = folder / f"report_{steps}_{concurrency}.json"
    cost = run(folder, address, steps, concurrency, "--output-file", str(report))
    data = json.loads(report.read_text(encoding="utf-8"))
    counts = data["summary"]["results"]
    assert sum(counts.values()) == steps, cost.output
    return Measured(steps, counts["errored"] + counts["failed"], data["head"]["seconds"], cost)


def pairs(folder: Path, address: str, steps: int, rounds: int) -> list[tuple[Measured, float]]:
    """Measure du-eval and bare aiohttp in turn, so that both meet the same moods of the machine."""
    found = []
    for _ in range(rounds):
        ours = measured(folder, address, steps, CONCURRENCY)
        bare = cost_of(sys.executable, "-c", BARE, address, str(steps), str(CONCURRENCY))
        found.append((ours, float(bare.output)))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    short = parser.parse_args().short
    steps, many, few = (200, 1000, 20) if short else (2000, 20_000, 100)
    with tempfile.TemporaryDirectory() as name, server() as address:
        folder = Path(name)
        run(folder, address, few, CONCURRENCY)  # the first start compiles the modules
        start = cost_of(sys.executable, "-m", "du_eval.cli", "test", "--help")
        found = pairs(folder, address, steps, 1 if short else 3)
        single = measured(folder, address, few, 1)
        small_peak, large_peak = peak(folder, address, steps), peak(folder, address, many)
    ideal = steps * LATENCY / CONCURRENCY
    concurrent = sorted((ours for ours, _ in found), key=lambda ours: ours.seconds)[len(found) // 2]
    bare = median(seconds for _, seconds in found)
    errors = sum(ours.errors for ours, _ in found)
    one_by_one = single.seconds / few * steps
    print(f"steps {steps}, latency {LATENCY * 1000:.0f} ms, concurrency {CONCURRENCY}")
    shown = ", ".join(f"{ours.seconds:.2f} ({seconds:.2f})" for ours, seconds in found)
    print(f"rounds, with bare aiohttp in brackets: {shown} s")
    print(f"wall time, median    {concurrent.seconds:8.2f} s   errors {errors} in all rounds")
    print(f"  over the ideal     {concurrent.seconds / ideal:8.2f}     (ideal {ideal:.2f} s; at most 1.2)")
    ratio = concurrent.seconds / bare
    print(
        f"  over bare aiohttp  {ratio:8.2f}     ({bare:.2f} s, {bare / ideal:.2f} x the ideal, here and now)"
    )
    longer = one_by_one / concurrent.seconds
    print(f"  one at a time      {longer:8.1f} x as long (from {few} steps, errors {single.errors})")
    whole = concurrent.cost.wall_seconds
    print(f"  the whole command  {whole:8.2f} s   (start, loading and report included)")
    own = concurrent.cost.cpu_seconds - start.cpu_seconds
    print(f"CPU per step         {own / steps * 1000:8.2f} ms  (report and loading included)")
    print(f"peak memory          {small_peak:8.0f} MB  at {steps} steps, errors 0")
    print(f"                     {large_peak:8.0f} MB  at {many} steps, errors 0")
    growth = (large_peak - small_peak) / (many - steps) * 1000
    print(f"  growth             {growth:8.2f} kB  a step (a prompt has 5 kB: they are in the journal)")


if __name__ == "__main__":
    main()
