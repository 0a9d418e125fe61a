"""How long comparisons and pages take, and that they grow with the number of steps and no faster.

    python benchmarks/compare.py [--steps 80000] [--page-steps 10000] [--page page.html]

Two made-up runs over the same steps are compared, at a quarter of the size and at the full size; and the HTML
page of a run is built. `--page` keeps the page, to look at it in a browser.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from random import Random

from du_eval.conversation import Speaker, Turn
from du_eval.evaluation.confusion import ConfusionTable
from du_eval.evaluation.record import KIND, TestExtra
from du_eval.evaluation.step import StepDetail, StepMistake
from du_eval.reports.renderers.page import render_page
from du_eval.reports.views.test import view_test
from du_eval.runs.comparison import compare_runs
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Head, Key, Result, Run
from du_eval.runs.records import reduce_run
from du_eval.runs.report import read_run, write_run
from du_eval.statistics.counts import Counts
from du_eval.statistics.intervals import Interval, Measurement

NAMES = ("start flow", "set slot", "cancel flow", "clarify", "chitchat", "knowledge")


def made_up(steps: int, accuracy: float, seed: int) -> Run[StepDetail, TestExtra]:
    """Return a run with four steps a case."""
    random = Random(seed)
    cases = []
    for number in range(steps // 4):
        file, name = f"suite/file_{number // 50:04}.yml", f"case_{number:06}"
        found = tuple(
            _step(Key(file, name, step), number, random, is_right=random.random() < accuracy)
            for step in range(1, 5)
        )
        cases.append(Case(file, name, found, line=1, length=4))
    measured = Measurement(accuracy, steps, Interval(accuracy - 0.01, accuracy + 0.01))
    head = Head("test", "benchmark", "user steps", signature="made up")
    extra = TestExtra({}, ConfusionTable(flows=(("a", "b", 3), ("a", "a", 20))))
    return Run(head, tuple(cases), (Figure("accuracy", measured, is_headline=True),), extra=extra)


def _step(key: Key, case: int, random: Random, *, is_right: bool) -> Result[StepDetail]:
    name = NAMES[(case + key.step) % len(NAMES)]
    command = f"SetSlot(amount, {case % 90})"
    said = (Turn(Speaker.USER, "hello"), Turn(Speaker.BOT, "How much, and to whom?"))
    wrong = StepDetail(missing=(command,), mistakes=(StepMistake("omission", command),), conversation=said)
    return Result(
        key,
        Outcome.PASSED if is_right else Outcome.FAILED,
        StepDetail() if is_right else wrong,
        asked=f"message {key.step} of case {case}: please send {case % 90} to contact {case % 37}",
        expected=(command,),
        actual=(command,) if is_right else (),
        mistakes=() if is_right else ("omission",),
        line=4 * key.step,
        question=f"{case}-{key.step}",
        counts={name: Counts(1, 0, 0, 1) if is_right else Counts(0, random.randint(0, 1), 1, 1)},
        seconds=random.expovariate(2),
    )


def comparison_seconds(steps: int, folder: Path) -> tuple[float, float]:
    """Return the CPU seconds of reading two reports and of comparing them."""
    for name, accuracy, seed in (("before", 0.92, 1), ("after", 0.9, 2)):
        write_run(folder / f"{name}.json", made_up(steps, accuracy, seed), KIND)
    start = time.process_time()
    files = (folder / f"{name}.json" for name in ("before", "after"))
    before, after = (reduce_run(read_run(file, {"test": KIND}), file.stem) for file in files)
    middle = time.process_time()
    compare_runs(before, after)
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
    page = render_page([view_test(data)])
    seconds = time.process_time() - start
    print(f"page of {arguments.page_steps:,} steps: {seconds:.2f} s CPU, {len(page) / 1e6:.1f} MB")
    if arguments.page:
        arguments.page.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
