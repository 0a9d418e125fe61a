"""What it costs to watch a run: 20,000 steps that stream into 50 open pages, against the same run unwatched.

python benchmarks/viewing.py [--steps N] [--pages N] [--rounds N]

The generator answers at once, so the journal grows as fast as it ever does. Both kinds of runs take turns.
The time of a run is what its user waits for; the viewer's own CPU time, as a share of the run's, is what
watching would cost if there were no second core.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import aiohttp
from measuring import Cost, cost_of
from runs_throughput import write_suite

ANSWER = "def answer(request):\n    return 'ChitChat()'\n"


@dataclass(frozen=True)
class Watched:
    """One run, and what its viewer used; the share of answers that the last news of each page counted."""

    seconds: float
    cost: Cost
    viewer_seconds: float = 0.0
    heard: tuple[int, ...] = ()


def run(folder: Path, suite: Path) -> tuple[float, Cost]:
    """Run the suite; return the time of asking and the cost of the process."""
    words = ("-m", "du_eval.cli", "test", str(suite), "-g", "answers:answer", "-q", "--no-output")
    cost = cost_of("env", "-C", str(folder), sys.executable, *words)
    last = max((folder / ".du-eval" / "runs").glob("*/run.json"))
    return float(json.loads(last.read_bytes())["head"]["seconds"]), cost


async def open_page(session: aiohttp.ClientSession, address: str, name: str) -> int:
    """Open a page and listen to the end; return how many answers it heard of."""
    async with session.get(f"{address}/run/{name}") as page:
        await page.read()
    heard = 0
    async with session.ws_connect(f"{address}/live/{name}", origin=address) as line:
        async for message in line:
            heard = max(heard, sum(json.loads(message.data).get("counts", {"": heard}).values()))
    return heard


async def watch(folder: Path, entrance: str, pages: int) -> list[int]:
    """Open pages of the run that begins next, and return what each heard."""
    runs, known = folder / ".du-eval" / "runs", set()
    if runs.is_dir():
        known = {one.name for one in runs.iterdir()}
    new: list[str] = []
    while not new:
        await asyncio.sleep(0.02)
        found = runs.glob("*/manifest.json")
        new = [one.parent.name for one in found if one.parent.name not in known]
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        async with session.get(entrance):
            pass
        address = entrance.partition("/?")[0]
        return await asyncio.gather(*(open_page(session, address, new[0]) for _ in range(pages)))


def run_watched(folder: Path, suite: Path, pages: int) -> Watched:
    """Run the suite while pages are open."""
    words = [sys.executable, "-m", "du_eval.cli", "view"]
    viewer = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert viewer.stdout is not None
    entrance = viewer.stdout.readline().strip()
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import viewing; "
    code += f"viewing.listen({str(folder)!r}, {entrance!r}, {pages})"
    listener = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    time.sleep(1.0)
    before = sum(map(int, Path(f"/proc/{viewer.pid}/stat").read_text().split()[13:15])) / os.sysconf(
        "SC_CLK_TCK"
    )
    seconds, cost = run(folder, suite)
    heard = json.loads(listener.communicate(timeout=120)[0])
    viewer.terminate()
    _, _, usage = os.wait4(viewer.pid, 0)
    return Watched(seconds, cost, usage.ru_utime + usage.ru_stime - before, tuple(heard))


def listen(folder: str, entrance: str, pages: int) -> None:
    """Be the browsers, in a process of their own; print what each page heard."""
    print(json.dumps(asyncio.run(watch(Path(folder), entrance, pages))))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    alone: list[Watched] = []
    watched: list[Watched] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "answers.py").write_text(ANSWER, encoding="utf-8")
        suite = write_suite(folder, given.steps)
        for _ in range(given.rounds):
            alone.append(Watched(*run(folder, suite)))
            watched.append(run_watched(folder, suite, given.pages))
    rounds = list(zip(alone, watched, strict=True))
    heard = [count for one in watched for count in one.heard]
    print(f"{given.steps:,} steps, {given.pages} pages, {given.rounds} rounds in turn")
    for what, ratios in (
        ("time of the run", [after.seconds / before.seconds for before, after in rounds]),
        ("CPU of the run", [after.cost.cpu_seconds / before.cost.cpu_seconds for before, after in rounds]),
    ):
        told = ", ".join(f"{one:.3f}" for one in ratios)
        print(f"{what:18} {median(ratios):6.3f} of that unwatched ({told})")
    share = median(one.viewer_seconds / one.cost.cpu_seconds for one in watched)
    print(f"CPU of the viewer  {share:6.1%} of that of the run")
    print(f"answers heard      {min(heard):,} to {max(heard):,} by each page before the run ended")


if __name__ == "__main__":
    main()
