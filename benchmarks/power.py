"""How often a comparison decides: the power table of docs/comparing.md, by simulation.

    python benchmarks/power.py [--tries 400]

Two runs over conversations of one to six steps; 2 % of the steps get better by chance, and so many
more get worse as the table says. Changes of a conversation come together, as they do in practice.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from du_eval.statistics.significance import rate_difference
from du_eval.statistics.verdict import Criteria, Verdict, verdict_of
from tests.statistics.simulating import simulated

STEPS = (100, 300, 1000, 3000)
LOSSES = (0.0, 0.01, 0.02, 0.05, 0.1)
MEAN = 3.5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tries", type=int, default=400)
    tries = parser.parse_args().tries
    random = np.random.default_rng(0)
    print("| true loss of accuracy | " + " | ".join(f"{steps} steps" for steps in STEPS) + " |")
    print("|---|" + "---|" * len(STEPS))
    for loss in LOSSES:
        cells = []
        for steps in STEPS:
            found = [
                rate_difference(simulated(random, int(steps / MEAN), better=0.02, worse=0.02 + loss))
                for _ in range(tries)
            ]
            verdicts = [verdict_of(one, Criteria()) for one in found if one]
            shares = [
                f"{100 * verdicts.count(verdict) / tries:.0f} %"
                for verdict in (Verdict.REGRESSED, Verdict.EQUIVALENT)
            ]
            cells.append(" / ".join(shares))
        print(f"| {loss:g} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
