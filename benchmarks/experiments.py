"""Experiments: twelve arms over 352 steps against a server of 50 ms, and the matrix page of 10,000 steps.

python benchmarks/experiments.py [asking] [page]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "benchmarks")]
ARMS, STEPS, SECONDS, CONCURRENCIES = 12, 352, 0.05, (8, 32)


def ask() -> None:
    """Print the time of asking against the ideal: all requests, so many at once; and against bare aiohttp."""
    from benchmarks.runs_throughput import BARE, server, write_suite

    with tempfile.TemporaryDirectory() as name, server() as address:
        folder = Path(name)
        suite = write_suite(folder, STEPS)
        models = ", ".join(f"m{number}" for number in range(ARMS))
        for concurrency in CONCURRENCIES:
            plan = f"paths: [{suite}]\nbase_url: {address}\ncache: 'off'\nconcurrency: {concurrency}\n"
            plan += f"vary: {{generator: [llm], model: [{models}]}}\n"
            (folder / "plan.yaml").write_text(plan, encoding="utf-8")
            words = [sys.executable, "-m", "du_eval.cli", "experiment", "plan.yaml", "--json"]
            environment = {**os.environ, "PYTHONPATH": str(PROJECT), "OPENAI_API_KEY": "none"}
            done = subprocess.run(
                words, cwd=folder, env=environment, capture_output=True, text=True, check=True
            )
            found = json.loads(done.stdout)
            steps = sum(arm["steps"] for arm in found["arms"])
            bare = [sys.executable, "-c", BARE, address, str(steps), str(concurrency)]
            peer = float(subprocess.run(bare, capture_output=True, text=True, check=True).stdout)
            took, ideal = found["seconds"], steps * SECONDS / concurrency
            print(
                f"{ARMS} arms, {concurrency} in flight: {took:.2f} s, {took / ideal:.2f} of the ideal; "
                f"{took / peer:.2f} of bare aiohttp, which took {peer / ideal:.2f} of the ideal just after",
                flush=True,
            )


def load_page() -> None:
    """Print how long a real browser takes for the matrix, and for a filter."""
    from du_eval.reports.arm_sections import ArmMatrix, ArmReply, ArmRow
    from du_eval.reports.renderers.page import render_page
    from du_eval.reports.sections import Note, View
    from du_eval.runs.outcome import Outcome
    from tests.reports.browsing import browsing

    right = (ArmReply("StartFlow(a)", Outcome.PASSED),)
    wrong = (ArmReply("CancelFlow()", Outcome.FAILED, ("wrong flow",)),)
    rows = tuple(
        ArmRow(
            f"f.yml::case {n // 4}::{n % 4}", f"f.yml:{n}", f"f.yml::case {n // 4}", f"message {n}", "A()",
            tuple(right if (7 * n + 3 * arm) % 9 else wrong for arm in range(ARMS)),
        )
        for n in range(10_000)
    )  # fmt: skip
    matrix = ArmMatrix("Steps by arm", "user steps", tuple(f"arm {arm}" for arm in range(ARMS)), rows)
    with tempfile.TemporaryDirectory() as name, browsing() as browser:
        page = Path(name) / "page.html"
        page.write_text(
            render_page([View("matrix", "experiment", Note("x"), sections=(matrix,))]), encoding="utf-8"
        )
        start = time.perf_counter()
        browser.open(page)
        browser.wait_for("document.querySelector('table.arms')")
        seconds = time.perf_counter() - start
        click = "document.querySelector('[data-agreement=\"\"]').click(); document.body.offsetHeight"
        taken = browser.value(
            f"(() => {{ const t = performance.now(); {click}; return performance.now() - t; }})()"
        )
        print(f"matrix of {ARMS} x 10,000: loads in {seconds:.2f} s, filters in {taken:.0f} ms")


if __name__ == "__main__":
    for what in sys.argv[1:] or ["asking", "page"]:
        {"asking": ask, "page": load_page}[what]()
