"""Races in simulations: how often the best arm is dropped, and how many questions a race saves.

python benchmarks/race.py [type1] [saved] [drawn] [--simulations N] [--seed N] [--only TEXT]

An arm answers a step rightly with a chance of its own. What makes steps hard is partly the same for all arms,
and partly the same for all steps of a conversation, so that arms are right and wrong together as models are.
Where several arms are best, each of them counts: the error is the mean share of them that a race drops.
`drawn` are settings that nobody chose: another seed draws others.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from du_eval.experiments.racing import Racing, divide

ALPHA = 0.05


@dataclass(frozen=True)
class Variant:
    """What is simulated; the first arm is the best, or one of the best."""

    name: str
    accuracies: tuple[float, ...] = (0.8,) * 8
    conversations: int = 100
    shared: float = 0.6
    """The part of what makes a step hard that all arms have in common."""
    alike: float = 0.25
    """The part of that which a conversation has in common."""
    own: tuple[float, float] = (0.0, 0.0)
    """The part of an arm's own luck that a conversation has in common: of the best arm, of the others."""
    longest: int = 6
    """Conversations have one to so many steps; 0: three on average, with a long tail."""


BETTER = (0.85,) + (0.75,) * 7
TYPE1 = (
    Variant("all eight are equal"),
    Variant("all equal, 300 conversations", conversations=300),
    Variant("all equal, 40 conversations", conversations=40),
    Variant("2 equal arms", (0.8,) * 2),
    Variant("4 equal arms", (0.8,) * 4),
    Variant("16 equal arms", (0.8,) * 16),
    Variant("arms have nothing in common", shared=0.0),
    Variant("arms are nearly the same", shared=0.95),
    Variant("steps of a conversation have nothing in common", alike=0.0),
    Variant("conversations are right or wrong as a whole", alike=0.95),
    Variant("only the best arm fails in whole conversations", own=(0.95, 0.0)),
    Variant("only the others fail in whole conversations", own=(0.0, 0.95)),
    Variant("2 arms, the other one fails in whole conversations", (0.8,) * 2, own=(0.0, 0.95)),
    Variant("4 arms, the others fail in whole conversations", (0.8,) * 4, own=(0.0, 0.95)),
    Variant("the others fail in whole conversations, and rarely", (0.93,) * 8, own=(0.0, 0.95)),
    Variant("3 equal arms, 60 long and short conversations", (0.85,) * 3, 60, longest=0),
    Variant("5 arms, the others fail in half conversations", (0.75,) * 5, 150, own=(0.0, 0.5)),
    Variant("6 equal arms, 200 conversations, few mistakes", (0.9,) * 6, 200, shared=0.8),
    Variant("some conversations are very long", longest=0),
    Variant("mistakes are rare", (0.97,) * 8),
    Variant("mistakes are frequent", (0.4,) * 8),
    Variant("best by one point", (0.81,) + (0.8,) * 7),
    Variant("two best ones, six 10 points worse", (0.85, 0.85) + (0.75,) * 6),
)
SAVED = (
    Variant("one of eight is 10 points better", BETTER),
    Variant("the same, arms have less in common", BETTER, shared=0.3),
    Variant("the same, arms have more in common", BETTER, shared=0.8),
    Variant("the same, about 1,050 steps", BETTER, 300),
    Variant("one of eight is 5 points better", (0.85,) + (0.8,) * 7),
    Variant("one of four is 10 points better", BETTER[:4]),
)


def draw_settings(seed: int, count: int = 30) -> Iterator[Variant]:
    """Yield settings with equally accurate arms, some of which fail in whole conversations."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        arms, size = int(random.integers(2, 13)), int(random.integers(40, 301))
        accuracy, (shared, alike, whole) = (
            round(random.uniform(0.5, 0.97), 2),
            random.uniform(0, 0.95, 3).round(2),
        )
        own = ((0.0, 0.0), (0.0, float(whole)), (float(whole), 0.0))[int(random.integers(3))]
        longest = int(random.choice([0, 3, 6, 12]))
        name = (
            f"{arms} arms at {accuracy}, {size} conversations of {longest or 'any'}, {shared}, {alike}, {own}"
        )
        yield Variant(name, (accuracy,) * arms, size, float(shared), float(alike), own, longest)


def draw(random: np.random.Generator, one: Variant) -> list[np.ndarray]:
    """Return conversations as tables of steps by arms, right (1) or wrong (0)."""
    size = one.conversations
    lengths = random.integers(1, one.longest + 1, size) if one.longest else random.geometric(1 / 3, size) ** 2
    ends = np.cumsum(np.minimum(lengths, 100))
    place = np.searchsorted(ends, np.arange(ends[-1]), side="right")
    arms = len(one.accuracies)
    own = np.array([one.own[0]] + [one.own[1]] * (arms - 1))
    hard = _mix(random, one.alike, (size, 1), place)
    luck = _mix(random, own, (size, arms), place)
    level = np.sqrt(one.shared) * hard + np.sqrt(1 - one.shared) * luck
    right = level < np.array([NormalDist().inv_cdf(accuracy) for accuracy in one.accuracies])
    return np.split(right.astype(float), ends[:-1])


def _mix(
    random: np.random.Generator, alike: float | np.ndarray, shape: tuple[int, int], place: np.ndarray
) -> np.ndarray:
    """Return normal numbers by step, of which conversations have a part in common."""
    common = random.standard_normal(shape)[place]
    return np.sqrt(alike) * common + np.sqrt(1 - alike) * random.standard_normal((len(place), shape[1]))


def play(random: np.random.Generator, one: Variant) -> tuple[float, float]:
    """Return the share of questions that a race saves, and which share of the best arms it dropped."""
    suite, sizes = draw(random, one), divide(one.conversations)
    racing = Racing(len(one.accuracies), len(sizes), ALPHA)
    start = asked = 0
    for size in sizes:
        batch = suite[start : start + size]
        start += size
        asked += sum(map(len, batch)) * len(racing.left)
        if start < len(suite):
            racing.look(batch)
    best = [arm for arm, accuracy in enumerate(one.accuracies) if accuracy == max(one.accuracies)]
    followed = best if one.own[0] == one.own[1] else best[:1]
    lost = np.mean([arm not in racing.left for arm in followed])
    return 1 - asked / (sum(map(len, suite)) * len(one.accuracies)), float(lost)


def measure(one: Variant, races: int, seed: int) -> str:
    """Return what so many races save, and how often they drop the best arm."""
    random = np.random.default_rng([seed, *one.name.encode()])
    found = np.array([play(random, one) for _ in range(races)])
    (saved, lost), spread = found.mean(axis=0), 1.96 * found.std(axis=0) / len(found) ** 0.5
    return (
        f"{one.name}: {saved:.1%} of questions saved (± {spread[0]:.1%}), "
        f"best dropped in {lost:.1%} (± {spread[1]:.1%}) of {races}"
    )


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="*", default=["type1", "saved"])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only settings whose name contains this")
    given = parser.parse_args()
    settings = {"type1": TYPE1, "saved": SAVED, "drawn": tuple(draw_settings(given.seed))}
    chosen = [one for what in given.what for one in settings[what]]
    for one in chosen:
        if given.only in one.name:
            print(measure(one, given.simulations, given.seed), flush=True)


if __name__ == "__main__":
    main()
