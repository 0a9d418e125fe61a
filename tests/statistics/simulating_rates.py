"""Made-up runs whose true rates are known: conversations of any length, with steps that fail together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Model(StrEnum):
    """How the steps of a conversation hang together."""

    BETA = "beta-binomial"
    LOGIT = "two-level logit"
    LENGTH = "hard ones are longer"
    REPEATS = "samples of steps"


@dataclass(frozen=True)
class Setting:
    """What is simulated."""

    model: Model
    conversations: int
    steps: tuple[int, int]
    rate: float
    correlation: float
    samples: int = 1


@dataclass(frozen=True)
class Drawn:
    """Successes and attempts, as runs x conversations, and the true rate."""

    successes: Ints
    attempts: Ints
    truth: float


def draw_runs(setting: Setting, runs: int, random: np.random.Generator) -> Drawn:
    """Return made-up runs."""
    shape = runs, setting.conversations
    low, high = setting.steps
    if setting.model is Model.LENGTH:
        own = _beta(random, setting.rate, setting.correlation, shape)
        attempts = 1 + random.poisson(_more_steps(own))
        return Drawn(
            random.binomial(attempts, own), attempts, _rate_by_length(setting.rate, setting.correlation)
        )
    attempts = random.integers(low, high + 1, shape)
    if setting.model is Model.LOGIT:
        own = _logit(random, setting.rate, setting.correlation, shape)
    else:
        own = _beta(random, setting.rate, setting.correlation, shape)
    if setting.model is not Model.REPEATS:
        return Drawn(random.binomial(attempts, own), attempts, setting.rate)
    successes = np.zeros(shape, np.int64)
    for step in range(high):
        of_step = _beta_around(random, own, 0.8)
        successes += np.where(step < attempts, random.binomial(setting.samples, of_step), 0)
    return Drawn(successes, attempts * setting.samples, setting.rate)


def _beta(random: np.random.Generator, rate: float, correlation: float, shape: tuple[int, ...]) -> Floats:
    return _beta_around(random, np.full(shape, rate), correlation)


def _beta_around(random: np.random.Generator, rates: Floats, correlation: float) -> Floats:
    """Return rates spread by a beta distribution; no spread where there is no correlation."""
    if not correlation:
        return rates
    size = (1 - correlation) / correlation
    tiny = 1e-9
    return random.beta(np.maximum(tiny, rates * size), np.maximum(tiny, (1 - rates) * size))


def _logit(random: np.random.Generator, rate: float, correlation: float, shape: tuple[int, ...]) -> Floats:
    spread = sqrt(3.29 * correlation / (1 - correlation))
    return _inverse_logit(_intercept(rate, spread) + spread * random.standard_normal(shape))


def _inverse_logit(value: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -500, 500))))


@lru_cache
def _intercept(rate: float, spread: float) -> float:
    """Return the intercept at which conversations of this spread have the wanted rate on average."""
    points = np.linspace(-8, 8, 4001)
    weights = np.exp(-points * points / 2)
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        if (weights * _inverse_logit(middle + spread * points)).sum() / weights.sum() < rate:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _more_steps(rates: Floats) -> Floats:
    return 2 + 4 * (1 - rates)


@lru_cache
def _rate_by_length(rate: float, correlation: float) -> float:
    """Return the share of right steps where conversations that fail are longer."""
    own = _beta(np.random.default_rng(99), rate, correlation, (1_000_000,))
    lengths = 1 + _more_steps(own)
    return float((own * lengths).sum() / lengths.sum())
