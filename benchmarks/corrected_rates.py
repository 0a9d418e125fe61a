"""How often intervals of corrected rates hold: a simulation of judges with known mistakes.

python benchmarks/corrected_rates.py [RUNS]
"""

from __future__ import annotations

import sys
from random import Random

from du_eval.statistics.correction import JudgeCalibration, JudgedReply, correct_by_calibration, correct_rate
from du_eval.statistics.intervals import Measurement

# rate, sensitivity, specificity, labelled, all, replies of a conversation, how alike those are
Case = tuple[float, float, float, int, int, int, float]
CASES: tuple[Case, ...] = (
    (0.80, 0.90, 0.85, 100, 1000, 1, 0.0),
    (0.80, 0.90, 0.85, 50, 1000, 1, 0.0),
    (0.95, 0.95, 0.70, 100, 1000, 1, 0.0),
    (0.80, 0.97, 0.97, 100, 1000, 1, 0.0),
    (0.60, 0.75, 0.70, 100, 1000, 1, 0.0),
    (0.80, 0.90, 0.85, 200, 5000, 1, 0.0),
    (0.80, 0.90, 0.85, 200, 1000, 10, 0.3),
)


def draw_run(case: Case, random: Random) -> list[JudgedReply]:
    """Return the verdicts on a run: whole conversations are labelled."""
    rate, sensitivity, specificity, labelled, total, size, alike = case
    verdicts = []
    for conversation in range(total // size):
        own = random.random() < rate
        for _ in range(size):
            label = own if random.random() < alike else random.random() < rate
            passed = random.random() < (sensitivity if label else 1 - specificity)
            is_labelled = conversation < labelled // size
            verdicts.append(JudgedReply(passed, label if is_labelled else None, str(conversation)))
    return verdicts


def calibrate(case: Case, random: Random) -> JudgeCalibration:
    """Return a calibration from elsewhere, with as many labels, half of them passes."""
    _, sensitivity, specificity, labelled, *_ = case
    half = labelled // 2
    found = [sum(random.random() < share for _ in range(half)) for share in (sensitivity, specificity)]
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
            passed = sum(one.passed for one in verdicts)
            rogan = correct_by_calibration(passed, len(verdicts), calibrate(case, random))
            for name, one in (
                ("labels", found.labelled),
                ("raw", found.raw),
                ("rogan", rogan),
                ("ours", found.rate),
            ):
                count(hits[name], one, case[0])
        cells = " | ".join(f"{good / runs:.3f} / {width / runs:.3f}" for good, width in hits.values())
        clustered = f", conversations of {case[5]}" if case[5] > 1 else ""
        print(f"| {case[0]}, {case[1]}, {case[2]}, {case[3]}, {case[4]}{clustered} | {cells} |", flush=True)


def count(hit: list[float], found: Measurement | None, rate: float) -> None:
    if found is not None and found.interval is not None:
        hit[0] += found.interval.low <= rate <= found.interval.high
        hit[1] += found.interval.high - found.interval.low


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
