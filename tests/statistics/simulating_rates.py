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
    WHOLE = "some fail as a whole"
    KINDS = "a quarter is hard"
    LONG = "hard ones are three times as long"
    CHATTY = "easy ones are longer"
    ENDING = "ends at the first failure"
    TAIL = "a few are very long"


@dataclass(frozen=True)
class Setting:
    """What is simulated."""

    model: Model
    conversations: int
    steps: tuple[int, int]
    rate: float
    correlation: float
    samples: int = 1
    lost: float = 0.0
    """The share of attempts that error, at random."""


@dataclass(frozen=True)
class Drawn:
    """Successes and attempts, as runs x conversations, and the true rate."""

    successes: Ints
    attempts: Ints
    truth: float


def draw_runs(setting: Setting, runs: int, random: np.random.Generator) -> Drawn:
    """Return made-up runs; one attempt of each is kept, whatever is lost."""
    drawn = _draw_all(setting, runs, random)
    if not setting.lost:
        return drawn
    good = random.binomial(drawn.successes, 1 - setting.lost)
    bad = random.binomial(drawn.attempts - drawn.successes, 1 - setting.lost)
    is_empty = ((good + bad).sum(axis=1) == 0)[:, None]
    return Drawn(
        np.where(is_empty, drawn.successes, good), np.where(is_empty, drawn.attempts, good + bad), drawn.truth
    )


def _draw_all(setting: Setting, runs: int, random: np.random.Generator) -> Drawn:
    shape = runs, setting.conversations
    own = _RATES.get(setting.model, _beta)(random, setting.rate, setting.correlation, shape)
    if setting.model in _LENGTHS:
        successes, attempts = _LENGTHS[setting.model](random, own)
        return Drawn(successes, attempts, _rate_by_length(setting.model, setting.rate, setting.correlation))
    low, high = setting.steps
    attempts = random.integers(low, high + 1, shape)
    if setting.model is Model.TAIL:
        attempts = np.minimum(200, np.ceil(np.exp(1 + 1.2 * random.standard_normal(shape)))).astype(np.int64)
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


def _whole(random: np.random.Generator, rate: float, correlation: float, shape: tuple[int, ...]) -> Floats:
    """Return a rate that most conversations share; a few fail in all their steps."""
    lost = (1 - rate) * correlation
    return np.where(random.random(shape) < lost, 0.0, rate / (1 - lost))


def _kinds(random: np.random.Generator, rate: float, correlation: float, shape: tuple[int, ...]) -> Floats:
    """Return the rates of easy conversations and of hard ones, a quarter of all."""
    easy = min(rate + (1 - rate) * correlation, 4 / 3 * rate)
    return np.where(random.random(shape) < 0.25, 4 * rate - 3 * easy, easy)


def _draw_hard(random: np.random.Generator, own: Floats) -> tuple[Ints, Ints]:
    attempts = 1 + random.poisson(2 + 4 * (1 - own))
    return random.binomial(attempts, own), attempts


def _draw_long(random: np.random.Generator, own: Floats) -> tuple[Ints, Ints]:
    attempts = 1 + random.poisson(12 + 26 * (1 - own))
    return random.binomial(attempts, own), attempts


def _draw_chatty(random: np.random.Generator, own: Floats) -> tuple[Ints, Ints]:
    attempts = 1 + random.poisson(6 * own)
    return random.binomial(attempts, own), attempts


def _draw_ending(random: np.random.Generator, own: Floats) -> tuple[Ints, Ints]:
    """Return up to eight steps, up to the first that fails."""
    is_right = random.random((8, *own.shape)) < own
    before = np.logical_and.accumulate(is_right, axis=0).sum(axis=0)
    return before, np.minimum(before + 1, 8)


_RATES = {Model.LOGIT: _logit, Model.WHOLE: _whole, Model.KINDS: _kinds}
_LENGTHS = {
    Model.LENGTH: _draw_hard,
    Model.LONG: _draw_long,
    Model.CHATTY: _draw_chatty,
    Model.ENDING: _draw_ending,
}


@lru_cache
def _rate_by_length(model: Model, rate: float, correlation: float) -> float:
    """Return the share of right steps where the length depends on how hard a conversation is."""
    random = np.random.default_rng(99)
    good, attempts = _LENGTHS[model](random, _beta(random, rate, correlation, (1_000_000,)))
    return float(good.sum() / attempts.sum())
