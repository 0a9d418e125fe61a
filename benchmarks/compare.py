"""How long comparisons and pages take, and that they grow with the number of steps and no faster.

    python benchmarks/compare.py [--steps 80000] [--page-steps 10000] [--page page.html]

Two made-up runs over the same steps are compared, at a quarter of the size and at the full size; and the HTML
page of a run is built. `--page` keeps the page, to look at it in a browser.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from random import Random

from du_eval.reports.html import html_report
from du_eval.reports.saved import read_report, record_of
from du_eval.runs.comparison import compared

NAMES = ("start flow", "set slot", "cancel flow", "clarify", "chitchat", "knowledge")


def made_up(steps: int, accuracy: float, seed: int) -> dict:
    """Return the report of a run with four steps a case."""
    random = Random(seed)
    cases = []
    for number in range(steps // 4):
        found = [_step(number, step, random, is_right=random.random() < accuracy) for step in range(1, 5)]
        file = f"suite/file_{number // 50:04}.yml"
        cases.append({"file": file, "test_case": f"case_{number:06}", "line": 1, "steps": found})
    zero = {"value": accuracy, "n": steps, "interval": [accuracy - 0.01, accuracy + 0.01]}
    metric = {"tp": 10, "fp": 1, "fn": 1, "precision": 0.9, "recall": 0.9, "f1_score": 0.9}
    return {
        "signature": "made up",
        "generator": "benchmark",
        "match": "exact",
        "cases": {"passed": steps // 8, "failed": steps // 8, "errored": 0},
        "steps": {"passed": int(steps * accuracy), "failed": steps - int(steps * accuracy), "errored": 0},
        "accuracy": {"user_utterances": zero, "test_cases": zero},
        "f1_score": {"macro": 0.9, "micro": 0.9},
        "command_metrics": dict.fromkeys(NAMES, metric),
        "mistakes": {"wrong flow": {"count": 10, "steps": 10}},
        "confusion": {"commands": [], "flows": [["a", "b", 3], ["a", "a", 20]], "slots": [], "values": []},
        "confused_with": {"flows": {"a": [["b", 3]]}, "commands": {}},
        "flow_metrics": {},
        "slot_metrics": {},
        "test_cases": cases,
    }


def _step(case: int, step: int, random: Random, *, is_right: bool) -> dict:
    name = NAMES[(case + step) % len(NAMES)]
    data = {
        "step": step,
        "line": 4 * step,
        "user": f"message {step} of case {case}: please send {case % 90} to contact {case % 37}",
        "outcome": "passed" if is_right else "failed",
        "question": f"{case}-{step}",
        "expected": [f"SetSlot(amount, {case % 90})"],
        "predicted": [f"SetSlot(amount, {case % 90})"] if is_right else [],
        "counts": {name: [1, 0, 0] if is_right else [0, random.randint(0, 1), 1]},
        "latency_seconds": random.expovariate(2),
    }
    if not is_right:
        data["mistakes"] = [{"kind": "omission", "expected": data["expected"][0]}]
        data["conversation"] = ["user: hello", "bot: How much, and to whom?"]
    return data


def comparison_seconds(steps: int, folder: Path) -> tuple[float, float]:
    """Return the CPU seconds of reading two reports and of comparing them."""
    for name, accuracy, seed in (("before", 0.92, 1), ("after", 0.9, 2)):
        (folder / f"{name}.json").write_text(json.dumps(made_up(steps, accuracy, seed)), encoding="utf-8")
    start = time.process_time()
    before, after = (record_of(read_report(folder / f"{name}.json"), name) for name in ("before", "after"))
    middle = time.process_time()
    compared(before, after)
    return middle - start, time.process_time() - middle


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=80_000)
    parser.add_argument("--page-steps", type=int, default=10_000)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for steps in (arguments.steps // 4, arguments.steps):
            read, compare = comparison_seconds(steps, Path(folder))
            found[steps] = read + compare
            print(f"compare {steps:7,} steps: read {read:.1f} s, compare {compare:.1f} s CPU")
        small, large = found.values()
        print(f"growth: 4 x the steps, {large / small:.1f} x the CPU time")
    data = made_up(arguments.page_steps, 0.9, 3)
    start = time.process_time()
    page = html_report([("benchmark", data)])
    seconds = time.process_time() - start
    print(f"page of {arguments.page_steps:,} steps: {seconds:.2f} s CPU, {len(page) / 1e6:.1f} MB")
    if arguments.page:
        arguments.page.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
