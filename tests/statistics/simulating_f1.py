"""Made-up conversations with several commands, whose true F1 is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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


def draw_counts(
    commands: Commands, runs: int, random: np.random.Generator, steps: tuple[int, int] = (1, 6)
) -> NDArray[np.int64]:
    """Return (tp, fp, fn) as runs x conversations x commands x 3; half of the wrong commands are replaced."""
    shape = runs, commands.conversations, steps[1]
    lengths = random.integers(steps[0], steps[1] + 1, shape[:2])
    own = np.full(shape[:2], commands.rate)
    if commands.correlation:
        size = (1 - commands.correlation) / commands.correlation
        own = random.beta(own * size, (1 - own) * size)
    expected, instead = random.choice(commands.kinds, (2, *shape), p=commands.shares())
    is_there = np.arange(steps[1]) < lengths[..., None]
    is_right, is_replaced = random.random(shape) < own[..., None], random.random(shape) < _REPLACED
    is_wrong = is_there & ~is_right
    false = is_wrong & is_replaced & (instead != expected)
    counts = [
        [(where & (name == kind)).sum(axis=2) for kind in range(commands.kinds)]
        for where, name in ((is_there & is_right, expected), (false, instead), (is_wrong, expected))
    ]
    return np.moveaxis(np.array(counts), (0, 1), (3, 2))


def draw_cases(
    commands: Commands, random: np.random.Generator, steps: tuple[int, int] = (1, 6)
) -> list[dict[str, Counts]]:
    """Return the counts of the conversations of one run."""
    return as_cases(draw_counts(commands, 1, random, steps)[0])


def as_cases(counts: NDArray[np.int64]) -> list[dict[str, Counts]]:
    """Return the counts of each conversation by command."""
    return [
        {f"c{kind}": Counts(tp, fp, fn, tp + fn) for kind, (tp, fp, fn) in enumerate(row) if tp + fp + fn}
        for row in counts.tolist()
    ]


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
