"""Made-up runs over the same suite that are equally good: steps are right with chances of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from du_eval.statistics.difference import Pair

Floats = NDArray[np.float64]
MEAN_CHANCE = 2.0 / 2.35


@dataclass(frozen=True)
class MadeUpSuite:
    """The conversation of each step, and the chance that a run gets the step right."""

    of_step: NDArray[np.int64]
    chances: Floats
    is_whole: bool
    """Whether a run answers a conversation all at once: with one draw for all its steps."""


def draw_suite(random: np.random.Generator, conversations: int, *, is_whole: bool = False) -> MadeUpSuite:
    """Return conversations of one to six steps, most of them easy, the chances of a conversation alike."""
    of_step = np.repeat(np.arange(conversations), random.integers(1, 7, conversations))
    own = random.beta(2.0, 0.35, conversations)[of_step]
    chances = own if is_whole else random.beta(4 * own + 1e-6, 4 * (1 - own) + 1e-6)
    return MadeUpSuite(of_step, chances, is_whole)


def draw_answers(random: np.random.Generator, suite: MadeUpSuite, loss: float = 0.0) -> Floats:
    """Return 1 for each step that a run got right, 0 for the others; `loss` of the right ones are lost."""
    steps = len(suite.of_step)
    draw = random.random(suite.of_step[-1] + 1)[suite.of_step] if suite.is_whole else random.random(steps)
    return ((draw < suite.chances) & (random.random(steps) >= loss)).astype(float)


def draw_figures(random: np.random.Generator, suite: MadeUpSuite, count: int, loss: float = 0.0) -> Floats:
    """Return figures x steps: shares that agree with each other in half of the steps, lowered by a loss."""
    common = draw_answers(random, suite)
    own = np.array([draw_answers(random, suite) for _ in range(count)])
    shown = np.where(random.random(own.shape) < 0.5, common, own)
    return np.asarray(shown * (random.random(own.shape) >= loss))


def as_pairs(suite: MadeUpSuite, before: Floats, after: Floats) -> list[Pair]:
    """Return what a comparison of two runs is about."""
    return list(map(Pair, suite.of_step.tolist(), before.tolist(), after.tolist()))


def draw_skewed(
    random: np.random.Generator, conversations: int, steps: int = 4, lost: float = 0.03
) -> list[Pair]:
    """Return a change that is nothing on average: many conversations win a step, few lose all of them."""
    of_step, draw = np.repeat(np.arange(conversations), steps), random.random(conversations)
    is_lost = (draw < lost)[of_step]
    is_won = (draw > 1 - steps * lost)[of_step] & (np.arange(len(of_step)) % steps == 0)
    before, after = (~is_won).astype(float), (~is_lost).astype(float)
    return list(map(Pair, of_step.tolist(), before.tolist(), after.tolist()))


@dataclass(frozen=True)
class UnevenSuite:
    """Conversations of uneven lengths that win single steps, while a few lose all or most of theirs."""

    lengths: str
    conversations: int
    mean: float
    lost: float
    """The share of conversations that are lost."""
    power: int
    """Long conversations are lost more often: by this power of their length."""
    part: float
    """The share of its steps that a lost conversation loses."""

    def draw_lengths(self, random: np.random.Generator, count: int) -> Floats:
        """Return the lengths of conversations, 100 steps at most."""
        match self.lengths:
            case "equal":
                drawn = np.full(count, self.mean)
            case "Poisson":
                drawn = 1.0 + random.poisson(self.mean - 1, count)
            case "geometric":
                drawn = random.geometric(1 / self.mean, count).astype(float)
            case "lognormal":
                drawn = random.lognormal(np.log(self.mean) - 0.5, 1.0, count)
            case _:
                drawn = (random.pareto(1.2, count) + 1) * self.mean / 3
        return np.clip(np.round(drawn), 1, 100)

    def draw_changes(self, random: np.random.Generator, known: Floats) -> list[tuple[float, float]]:
        """Return the change and the length of each conversation, even over many lengths that are known."""
        scale = self.lost / (known**self.power).mean()
        chance = np.minimum(0.5, scale * known**self.power)
        won = min(1.0, (chance * known * self.part).mean() / ((1 - chance) * known).mean())
        lengths = self.draw_lengths(random, self.conversations)
        is_lost = random.random(self.conversations) < np.minimum(0.5, scale * lengths**self.power)
        steps = lengths.astype(int)
        changes = np.where(is_lost, -random.binomial(steps, self.part), random.binomial(steps, won))
        return list(zip(changes.astype(float).tolist(), lengths.tolist(), strict=True))


def draw_uneven_suites(random: np.random.Generator, count: int) -> list[UnevenSuite]:
    """Return settings drawn at random, so many for each kind of length."""
    return [
        UnevenSuite(
            lengths,
            round(20 * 25 ** random.random()),
            1.5 + 10 * random.random(),
            0.004 * 12.5 ** random.random(),
            int(random.integers(0, 3)),
            float(random.choice([0.6, 1.0])),
        )
        for lengths in ("equal", "Poisson", "geometric", "lognormal", "Pareto")
        for _ in range(count)
    ]


def draw_with_own_history(
    random: np.random.Generator, conversations: int, chance: float, harm: float
) -> tuple[list[Pair], float]:
    """Return steps with the gold history and with the generator's own, and the true change.

    A step is right with a chance; after the first failure, the own history makes `harm` of the right answers
    wrong, and up to it both runs agree.
    """
    of_step = np.repeat(np.arange(conversations), random.integers(1, 9, conversations))
    is_right, is_harmed = random.random(len(of_step)) < chance, random.random(len(of_step)) < harm
    pairs: list[Pair] = []
    has_left: set[int] = set()
    for case, gold, hit in zip(of_step.tolist(), is_right.tolist(), is_harmed.tolist(), strict=True):
        pairs.append(Pair(case, float(gold), float(gold and not (hit and case in has_left))))
        if not gold:
            has_left.add(case)
    lost = sum(chance * harm * (1 - chance**before) for length in range(1, 9) for before in range(length))
    return pairs, -lost / sum(range(1, 9))
