"""Made-up pairs of runs whose true difference is known."""

from __future__ import annotations

import os
from enum import StrEnum

import numpy as np

from du_eval.statistics.counts import Counts
from du_eval.statistics.difference import Pair

TIMES = int(os.environ.get("DU_EVAL_SIMULATIONS", "1"))
"""How many times as many tries as usual: `make simulations` takes ten."""
_WHOLE = 0.9


class Dependence(StrEnum):
    """How the changes of a conversation hang together."""

    NONE = "independent"
    MILD = "come together"
    STRONG = "all at once"


def simulated(
    random: np.random.Generator,
    clusters: int,
    *,
    better: float,
    worse: float,
    dependence: Dependence = Dependence.MILD,
) -> list[Pair]:
    """Return pairs of two runs; `better` and `worse` are the chances that a step changes.

    Where changes come together, half of the conversations change three times as often as the other half, and
    their changes share a direction more often than chance has it. Where they come all at once, a conversation
    changes in nine of ten steps or in none.
    """
    of_step = np.repeat(np.arange(clusters), random.integers(1, 7, size=clusters))
    draw = random.random(len(of_step))
    if dependence is Dependence.STRONG:
        whole = random.random(clusters)[of_step]
        is_up = (whole < better / _WHOLE) & (draw < _WHOLE)
        is_down = (whole > 1 - worse / _WHOLE) & (draw < _WHOLE)
    else:
        spread = [0.5, 1.5] if dependence is Dependence.MILD else [1.0]
        scale, tilt = random.choice(spread, size=(2, clusters))
        up, down = (better * scale * tilt)[of_step], (worse * scale * (2 - tilt))[of_step]
        is_up, is_down = draw < up, (draw >= up) & (draw < up + down)
    before, after = (~is_up).astype(float), (~is_down).astype(float)
    return list(map(Pair, of_step.tolist(), before.tolist(), after.tolist()))


Cases = list[dict[str, Counts]]


def simulated_counts(
    random: np.random.Generator,
    clusters: int,
    right: float,
    change: tuple[float, float],
    *,
    is_whole: bool = False,
) -> tuple[Cases, Cases]:
    """Return the counts of two runs over conversations with one to four commands each.

    A command is right before with one chance; a wrong one gets right and a right one wrong with two others. Half
    of the wrong ones are predicted otherwise, half not at all. Conversations may change as a whole.
    """
    up, down = change
    before: Cases = []
    after: Cases = []
    for size in random.integers(1, 5, size=clusters):
        was = random.random(size) < right
        draw = random.random(1 if is_whole else size)
        now = np.where(was, draw >= down, draw < up)
        is_replaced = random.random(size) < 0.5
        for cases, found in ((before, was), (after, now)):
            wrong = int((~found).sum())
            false = int((~found & is_replaced).sum())
            cases.append({"set slot": Counts(int(size) - wrong, false, wrong, int(size))})
    return before, after


def true_f1_difference(right: float, up: float, down: float) -> float:
    """Return the difference that many simulated counts would have."""
    later = right * (1 - down) + (1 - right) * up
    one, other = (2 * share / (2 * share + 1.5 * (1 - share)) for share in (right, later))
    return other - one
