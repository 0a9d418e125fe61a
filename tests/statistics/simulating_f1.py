"""Made-up conversations with several commands, whose true F1 is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from du_eval.statistics.counts import Counts

_REPLACED = 0.5


@dataclass(frozen=True)
class Commands:
    """What is simulated: frequent and rare commands, right at a rate that conversations share."""

    conversations: int
    rate: float
    correlation: float
    kinds: int = 5

    def shares(self) -> list[float]:
        """Return how often each command is expected: the second half as often as the first, and so on."""
        total = sum(1 / (kind + 1) for kind in range(self.kinds))
        return [1 / (kind + 1) / total for kind in range(self.kinds)]


def draw_cases(
    commands: Commands, random: np.random.Generator, steps: tuple[int, int] = (1, 6)
) -> list[dict[str, Counts]]:
    """Return the counts of conversations of one to six steps; half of the wrong commands are replaced."""
    shares, cases = commands.shares(), []
    for length in random.integers(steps[0], steps[1] + 1, commands.conversations):
        own = commands.rate
        if commands.correlation:
            size = (1 - commands.correlation) / commands.correlation
            own = random.beta(own * size, (1 - own) * size)
        expected = random.choice(commands.kinds, length, p=shares)
        instead = random.choice(commands.kinds, length, p=shares)
        is_right, is_replaced = random.random(length) < own, random.random(length) < _REPLACED
        found: dict[str, Counts] = {}
        for kind, other, right, replaced in zip(expected, instead, is_right, is_replaced, strict=True):
            counts = Counts(tp=1, total=1) if right else Counts(fn=1, total=1)
            found[f"c{kind}"] = found.get(f"c{kind}", Counts()) + counts
            if not right and replaced and other != kind:
                found[f"c{other}"] = found.get(f"c{other}", Counts()) + Counts(fp=1)
        cases.append(found)
    return cases


def true_scores(commands: Commands) -> dict[str, float]:
    """Return what the scores of many conversations would be."""
    wrong, scores, sums = 1 - commands.rate, [], np.zeros(3)
    for share in commands.shares():
        row = np.array([share * commands.rate, share * wrong * _REPLACED * (1 - share), share * wrong])
        sums += row
        scores.append(_f1(row))
    weighted = sum(share * score for share, score in zip(commands.shares(), scores, strict=True))
    means = {"macro": sum(scores) / len(scores), "micro": _f1(sums), "weighted": weighted}
    return {f"c{kind}": score for kind, score in enumerate(scores)} | means


def _f1(row: np.ndarray) -> float:
    return float(2 * row[0] / (2 * row[0] + row[1] + row[2]))
