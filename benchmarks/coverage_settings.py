"""The settings that benchmarks/coverage.py simulates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from tests.statistics.simulating_rates import Model, Setting

STEPS, REPLIES, SINGLE = (1, 8), (40, 40), (1, 1)
_Numbers = tuple[float, ...]


def _grid(
    kind: tuple[Model, tuple[int, int], int], conversations: _Numbers, rates: _Numbers, alike: _Numbers
) -> list[Setting]:
    """Return all combinations of numbers of conversations, rates and correlations."""
    model, steps, samples = kind
    return [
        Setting(model, int(count), steps, rate, correlation, samples)
        for count, rate, correlation in product(conversations, rates, alike)
    ]


def _draw(
    count: int, seed: int, kinds: Sequence[tuple[Model, tuple[int, int], tuple[int, ...]]]
) -> list[Setting]:
    """Return settings with values of all sizes, drawn once."""
    random = np.random.default_rng(seed)
    found = []
    for number in range(count):
        model, steps, samples = kinds[number % len(kinds)]
        found.append(
            Setting(
                model,
                round(10 * 80 ** random.random()),
                steps,
                1 - round(0.01 * 50 ** random.random(), 3),
                round(0.9 * random.random(), 2) if random.random() < 0.9 else 0.0,
                int(random.choice(samples)),
                float(random.choice([0, 0, 0.08, 0.25])),
            )
        )
    return found


_ONCE, _OFTEN = (1,), (2, 3, 4, 6, 8, 10)
_KINDS = [
    (Model.BETA, STEPS, _ONCE),
    (Model.LOGIT, STEPS, _ONCE),
    (Model.BETA, REPLIES, _ONCE),
    (Model.BETA, (2, 5), _ONCE),
    (Model.LOGIT, REPLIES, _ONCE),
    (Model.LENGTH, STEPS, _ONCE),
    (Model.BETA, STEPS, _ONCE),
    (Model.REPEATS, (1, 4), _OFTEN),
    (Model.CHATTY, STEPS, _ONCE),
    (Model.BETA, SINGLE, _ONCE),
]
_OTHER_KINDS = [
    (Model.WHOLE, STEPS, _ONCE),
    (Model.WHOLE, REPLIES, _ONCE),
    (Model.KINDS, STEPS, _ONCE),
    (Model.ENDING, STEPS, _ONCE),
    (Model.TAIL, STEPS, _ONCE),
]
GROUPS = {
    "held out": _draw(250, 20270201, _KINDS),
    "beyond": _draw(100, 20270202, _OTHER_KINDS),
    "hard ones are long": _draw(40, 20261118, [(Model.LONG, REPLIES, _ONCE)]),
    "steps": _grid((Model.BETA, STEPS, 1), (20, 80, 300, 800), (0.8, 0.9, 0.95, 0.98), (0, 0.3, 0.9)),
    "replies": _grid((Model.BETA, REPLIES, 1), (10, 20), (0.9, 0.95, 0.98), (0.1, 0.3, 0.6)),
    "agent cases": _grid((Model.REPEATS, SINGLE, 10), (10, 20, 40, 80), (0.5, 0.8, 0.95), (0.1, 0.5)),
}


EXAMPLES = {
    "steps, few failures": Setting(Model.BETA, 80, STEPS, 0.98, 0.9),
    "steps, ordinary": Setting(Model.BETA, 80, STEPS, 0.9, 0.2),
    "replies, hardly alike": Setting(Model.BETA, 10, REPLIES, 0.98, 0.1),
    "replies, alike": Setting(Model.BETA, 10, REPLIES, 0.98, 0.3),
    "replies, very much alike": Setting(Model.BETA, 10, REPLIES, 0.98, 0.6),
    "agent cases, 10 samples each": Setting(Model.REPEATS, 20, (1, 1), 0.8, 0.1, 10),
    "steps, 10 samples each": Setting(Model.REPEATS, 40, (1, 4), 0.9, 0.2, 10),
    "three conversations": Setting(Model.BETA, 3, STEPS, 0.8, 0.3),
}
