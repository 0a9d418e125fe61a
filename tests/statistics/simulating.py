"""Made-up pairs of runs whose true difference is known."""

from __future__ import annotations

import numpy as np

from du_eval.statistics.significance import Pair


def simulated(random: np.random.Generator, clusters: int, *, better: float, worse: float) -> list[Pair]:
    """Return pairs of two runs; in a conversation, changes come together.

    `better` and `worse` are the chances that a step changes; half of the conversations change three times as
    often as the other half, and their changes share a direction more often than chance has it.
    """
    of_step = np.repeat(np.arange(clusters), random.integers(1, 7, size=clusters))
    scale, tilt = random.choice([0.5, 1.5], size=(2, clusters))
    draw = random.random(len(of_step))
    up, down = (better * scale * tilt)[of_step], (worse * scale * (2 - tilt))[of_step]
    before = (draw >= up).astype(float)
    after = ((draw < up) | (draw >= up + down)).astype(float)
    return list(map(Pair, of_step.tolist(), before.tolist(), after.tolist()))
