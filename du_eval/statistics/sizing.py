"""How many conversations and samples a comparison needs to show a loss of a given size."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from du_eval.statistics.quantiles import normal_quantile, t_quantile

_ROUNDS = 20
LOWEST_NOISE, USUAL_NOISE, HIGHEST_NOISE = 0.005, 0.02, 0.05
"""Shares of steps that change for the better, and for the worse, by chance alone."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a comparison shall show, and how surely."""

    loss: float
    alpha: float = 0.05
    power: float = 0.8


@dataclass(frozen=True, slots=True)
class Sizing:
    """How many conversations are needed with so many samples of each: about, at best and at worst."""

    samples: int
    about: int
    low: int
    high: int


def size_comparison(wish: Wish, steps: float, design_effect: float = 1.5, samples: int = 1) -> Sizing:
    """Return the conversations of so many steps each that show a loss with the wanted chance.

    The range goes from steps that change one by one with little noise to conversations that change as a whole
    with much of it. Samples take away noise, and not the chance of which conversations there are.
    """
    if not 0 < wish.loss < 1:
        raise ValueError(f"a loss lies between 0 and 1, not at {wish.loss}")
    effect = min(max(1.0, design_effect), max(1.0, steps))
    return Sizing(
        samples,
        _conversations(wish, steps, effect, USUAL_NOISE / samples),
        _conversations(wish, steps, 1.0, LOWEST_NOISE / samples),
        _conversations(wish, steps, max(1.0, steps), HIGHEST_NOISE / samples),
    )


def _conversations(wish: Wish, steps: float, effect: float, noise: float) -> int:
    variance = (wish.loss + 2 * noise - wish.loss**2) * effect
    count = 10.0
    for _ in range(_ROUNDS):
        quantile = t_quantile(1 - wish.alpha / 2, round(max(1.0, count - 1), 1))
        count = (quantile + normal_quantile(wish.power)) ** 2 * variance / wish.loss**2 / steps
        count = max(2.0, count)
    return ceil(count)
