"""Races in simulations: how often the best arm is dropped, and how many calls a race saves.

python benchmarks/race.py [type1] [saved] [--simulations N]

An arm answers a step rightly with a chance of its own; steps differ in how hard they are, and steps of a
conversation are alike, so that arms are right and wrong together as models are.
"""

from __future__ import annotations

import argparse

import numpy as np

from du_eval.experiments.racing import Racing, divide

ARMS = 8


def draw(random: np.random.Generator, accuracies: list[float], conversations: int) -> list[np.ndarray]:
    """Return conversations of one to six steps, right (1) or wrong (0) by arm."""
    found = []
    for _ in range(conversations):
        steps = int(random.integers(1, 7))
        shared = random.standard_normal()
        hardness = 0.5 * shared + np.sqrt(0.75) * random.standard_normal((steps, 1))
        own = random.standard_normal((steps, len(accuracies)))
        # Arms share 60 % of what makes a step hard or easy.
        level = np.sqrt(0.6) * hardness + np.sqrt(0.4) * own
        limits = np.array([_quantile(accuracy) for accuracy in accuracies])
        found.append((level < limits).astype(float))
    return found


def _quantile(share: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


def race(
    random: np.random.Generator, accuracies: list[float], conversations: int, seed: int
) -> tuple[float, float]:
    """Return the share of best arms that were dropped, and of questions that were not asked."""
    suite = draw(random, accuracies, conversations)
    sizes = divide(len(suite))
    racing = Racing(len(accuracies), len(sizes), seed=seed)
    best = [arm for arm, accuracy in enumerate(accuracies) if accuracy == max(accuracies)]
    start = asked = 0
    lost: set[int] = set()
    for size in sizes:
        batch = suite[start : start + size]
        start += size
        asked += sum(len(one) for one in batch) * len(racing.left)
        lost |= {drop.arm for drop in racing.look(batch)} & set(best)
    total = sum(len(one) for one in suite) * len(accuracies)
    return len(lost) / len(best), 1 - asked / total


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="*", default=["type1", "saved"])
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    settings = {
        "type1": [("all equal", [0.8] * ARMS), ("two best", [0.85, 0.85] + [0.75] * 6),
                  ("best by one point", [0.81] + [0.8] * 7), ("rare mistakes", [0.97] * ARMS)],
        "saved": [("one of eight 10 points better", [0.85] + [0.75] * 7),
                  ("one of eight 5 points better", [0.85] + [0.8] * 7), ("all equal", [0.8] * ARMS)],
    }  # fmt: skip
    for what in given.what:
        for name, accuracies in settings[what]:
            for conversations in (100, 300):
                random = np.random.default_rng(given.seed)
                found = [race(random, accuracies, conversations, n) for n in range(given.simulations)]
                lost, saved = np.mean([one for one, _ in found]), np.mean([one for _, one in found])
                print(f"{what}: {name}, {conversations} conversations ({3.5 * conversations:.0f} steps): "
                      f"best dropped {lost:.1%}, questions saved {saved:.0%}")  # fmt: skip


if __name__ == "__main__":
    main()
