"""How often intervals of corrected rates hold: a simulation of judges with known mistakes.

python benchmarks/corrected_rates.py [RUNS]
"""

from __future__ import annotations

import sys
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from du_eval.statistics.correction import (
    JudgeCalibration,
    JudgedReply,
    correct_by_calibration,
    correct_rate,
    order_to_label,
)
from du_eval.statistics.intervals import Measurement


class Case(NamedTuple):
    """What is simulated."""

    rate: float
    sensitivity: float
    specificity: float
    labelled: int
    total: int
    size: int = 1
    """Replies of a conversation."""
    alike: float = 0.0
    """How often a reply is like its conversation."""
    is_drawn: bool = False
    """Whether single replies are labelled, as `annotate` draws them, and not whole conversations."""
    undecided: float = 0.0
    """The share of replies that the judge leaves open."""

    def __str__(self) -> str:
        told = f"{self.rate}, {self.sensitivity}, {self.specificity}, {self.labelled}, {self.total}"
        told += f", conversations of {self.size}" if self.size > 1 else ""
        told += ", single replies labelled" if self.is_drawn else ""
        return told + (f", {self.undecided} undecided" if self.undecided else "")


CASES = (
    Case(0.80, 0.90, 0.85, 100, 1000),
    Case(0.80, 0.90, 0.85, 50, 1000),
    Case(0.95, 0.95, 0.70, 100, 1000),
    Case(0.80, 0.97, 0.97, 100, 1000),
    Case(0.60, 0.75, 0.70, 100, 1000),
    Case(0.80, 0.90, 0.85, 200, 5000),
    Case(0.80, 0.90, 0.85, 200, 1000, 10, 0.3),
    Case(0.80, 0.90, 0.85, 100, 1000, 10, 0.3, is_drawn=True),
    Case(0.80, 0.90, 0.85, 100, 1000, 10, 0.3, is_drawn=True, undecided=0.3),
    Case(0.60, 0.95, 0.90, 60, 300, 10, 0.5, is_drawn=True, undecided=0.5),
)


def draw_run(case: Case, random: Random) -> list[JudgedReply]:
    """Return the verdicts on a run of which a part is labelled."""
    found = []
    for conversation in range(case.total // case.size):
        own = random.random() < case.rate
        for _ in range(case.size):
            label = own if random.random() < case.alike else random.random() < case.rate
            passed = random.random() < (case.sensitivity if label else 1 - case.specificity)
            is_open = random.random() < case.undecided
            found.append(JudgedReply(None if is_open else passed, label, str(conversation)))
    chosen = set(range(case.labelled))
    if case.is_drawn:
        order = order_to_label([float(one.passed is None) for one in found], random.randrange(10**6))
        chosen = set(order[: case.labelled])
    return [one if place in chosen else replace(one, label=None) for place, one in enumerate(found)]


def calibrate(case: Case, random: Random) -> JudgeCalibration:
    """Return a calibration from elsewhere, with as many labels, half of them passes."""
    half, shares = case.labelled // 2, (case.sensitivity, case.specificity)
    found = [sum(random.random() < share for _ in range(half)) for share in shares]
    return JudgeCalibration(half, found[0], half, found[1])


def main(runs: int) -> None:
    print(
        "| rate, sensitivity, specificity, labelled, all | labels only | raw judge | Rogan–Gladen/Lee |"
        " corrected by default |"
    )
    print("|---|---|---|---|---|")
    for case in CASES:
        random = Random(1)
        hits = {name: [0, 0.0] for name in ("labels", "raw", "rogan", "ours")}
        for _ in range(runs):
            verdicts = draw_run(case, random)
            found = correct_rate(verdicts)
            decided = [one for one in verdicts if one.passed is not None]
            passed = sum(bool(one.passed) for one in decided)
            rogan = correct_by_calibration(passed, len(decided), calibrate(case, random))
            for name, one in (
                ("labels", found.labelled),
                ("raw", found.raw),
                ("rogan", rogan),
                ("ours", found.rate),
            ):
                count(hits[name], one, case.rate)
        cells = " | ".join(f"{good / runs:.3f} / {width / runs:.3f}" for good, width in hits.values())
        print(f"| {case} | {cells} |", flush=True)


def count(hit: list[float], found: Measurement | None, rate: float) -> None:
    if found is not None and found.interval is not None:
        hit[0] += found.interval.low <= rate <= found.interval.high
        hit[1] += found.interval.high - found.interval.low


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
