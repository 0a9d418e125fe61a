"""How much more data a comparison would need to decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, inf, isfinite, log2

from msgspec import Struct
from msgspec.structs import replace

from du_eval.statistics.difference import Difference, Unseen
from du_eval.statistics.quantiles import normal_quantile, t_quantile

_NOTHING = 1e-12
_ROUNDS = 8
_MOST_TIMES, _HALVINGS = 1e6, 12


class SoughtVerdict(Struct, frozen=True):
    """Which verdict shall be possible: a difference told from zero, or from the margin."""

    margin: float
    alpha: float = 0.05
    power: float = 0.8


def plan_items(found: Difference, wanted: SoughtVerdict) -> int | None:
    """Return about how many items in all would decide, if the difference stays as it was found.

    The smaller of two numbers: enough to tell the difference from zero, or enough to tell that it lies within
    the margin; by the same quantiles as the verdict. None where nothing changed and no margin is asked for.
    """
    if found.is_rate and not found.better and not found.worse:
        return _unchanged(found, wanted)
    candidates = [*filter(isfinite, _enough(found, wanted))]
    return max(found.n + 1, ceil(min(candidates))) if candidates else None


def items_to_exclude(found: Difference, bound: float, wanted: SoughtVerdict) -> int | None:
    """Return about how many items in all would prove that the difference is above or below a bound."""
    distance = abs(found.value - bound)
    if distance <= _NOTHING:
        return None
    needed = _solve(found, 1 - wanted.alpha, wanted.power, distance)
    if found.value * (found.value - bound) > 0:
        # What lies beyond the bound lies beyond zero, which has to be proven as well.
        needed = max(needed, _see_enough(found, replace(wanted, alpha=2 * wanted.alpha)))
    return max(found.n + 1, ceil(needed)) if isfinite(needed) else None


def _enough(found: Difference, wanted: SoughtVerdict) -> Iterator[float]:
    value = abs(found.value)
    if value > _NOTHING:
        tested = _solve(found, 1 - wanted.alpha / 2, wanted.power, value)
        yield max(tested, _see_enough(found, wanted))
    if wanted.margin - value > _NOTHING:
        yield _solve(found, 1 - wanted.alpha, (1 + wanted.power) / 2, wanted.margin - value)


def _solve(found: Difference, share: float, power: float, distance: float) -> float:
    """Return the number of items at which a distance is told from nothing; more items are more clusters."""
    n = float(found.n)
    for _ in range(_ROUNDS):
        freedom = max(1.0, found.clusters * n / found.n - 1)
        n = (
            (t_quantile(share, round(freedom, 1)) + normal_quantile(power)) ** 2
            * found.variance
            / distance**2
        )
    return n


def _see_enough(found: Difference, wanted: SoughtVerdict) -> float:
    """Return the number of items at which a difference can be told from zero, however large it is.

    So many clusters must change before swaps of them are rare, and before clusters against them are missed.
    """
    if not found.changed:
        return inf
    changes = floor(1 + log2(1 / wanted.alpha)) + 1
    return found.n * max(changes / found.changed, _multiply(found.unseen, wanted.alpha, wanted.power))


def _multiply(unseen: Unseen, alpha: float, power: float) -> float:
    """Return how many times as many clusters bring the p of what is unseen below alpha."""
    low, high = 0.0, 1.0
    while unseen.p(high, power) >= alpha:
        if high > _MOST_TIMES:
            return inf
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if unseen.p(middle, power) < alpha else (middle, high)
    return high


def _unchanged(found: Difference, wanted: SoughtVerdict) -> int | None:
    """Return how many items without a change prove that there are hardly any."""
    if wanted.margin <= 0:
        return None
    low, high = found.n, found.n + 1
    while not _is_enough(found, wanted, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_enough(found, wanted, middle) else (middle, high)
    return high


def _is_enough(found: Difference, wanted: SoughtVerdict, n: int) -> bool:
    """Tell whether so many items without a change keep the interval of no change within the margin."""
    clusters = max(1, found.clusters * n // found.n)
    quantile = t_quantile(1 - wanted.alpha, max(1, clusters - 1))
    return n > quantile**2 * (1 / wanted.margin - 1) * found.design_effect


class RepeatedItem(Struct, frozen=True):
    """One item that both runs did several times: the shares of right answers, and of how many."""

    before: float
    after: float
    times: tuple[int, int]


def plan_samples(items: Sequence[RepeatedItem], needed: int | None) -> int | None:
    """Return how often each item must be done to tell as much as so many items would.

    Repeating takes away the chance within an item, and not the one of which items there are: None where it
    cannot be enough, or where items were done once and nobody knows how much their answers vary.
    """
    if needed is None or len(items) < 2 or any(min(item.times) < 2 for item in items):
        return None
    n = len(items)
    differences = [item.after - item.before for item in items]
    mean = sum(differences) / n
    total = sum((one - mean) ** 2 for one in differences) / (n - 1)
    within = sum(_chance(one.before, one.times[0]) + _chance(one.after, one.times[1]) for one in items) / n
    left = total * n / needed - max(0.0, total - within)
    if within <= _NOTHING or left <= _NOTHING:
        return None
    often = sum(sum(item.times) for item in items) / (2 * n)
    return ceil(often * within / left)


def _chance(share: float, times: int) -> float:
    """Return the variance of a share of right answers that is due to chance."""
    return share * (1 - share) / (times - 1)


_SIZING_ROUNDS = 20
LOWEST_NOISE, USUAL_NOISE, HIGHEST_NOISE = 0.005, 0.02, 0.05
"""Shares of steps that change for the better, and for the worse, by chance alone."""


class Wish(Struct, frozen=True):
    """What a comparison shall show, and how surely."""

    loss: float
    alpha: float = 0.05
    power: float = 0.8


class Sizing(Struct, frozen=True):
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
        raise ValueError(f"a loss must be between 0 and 1, not {wish.loss}")
    effect = min(max(1.0, design_effect), max(1.0, steps))
    about, low, high = (
        min(_conversations(wish, steps, one, noise / fewer) for fewer in range(1, samples + 1))
        for one, noise in (
            (effect, USUAL_NOISE),
            (1.0, LOWEST_NOISE),
            (max(1.0, steps), HIGHEST_NOISE),
        )
    )
    return Sizing(samples, about, min(low, about), max(about, high))


def _conversations(wish: Wish, steps: float, effect: float, noise: float) -> int:
    variance = (wish.loss + 2 * noise - wish.loss**2) * effect
    count = 10.0
    for _ in range(_SIZING_ROUNDS):
        quantile = t_quantile(1 - wish.alpha / 2, round(max(1.0, count - 1), 1))
        count = (quantile + normal_quantile(wish.power)) ** 2 * variance / wish.loss**2 / steps
        count = max(2.0, count)
    gained, lost = (loss_or_gain * steps * count for loss_or_gain in (wish.loss + noise, noise))
    unseen = Unseen(gained, lost, lost / effect, steps)
    return ceil(count * max(1.0, _multiply(unseen, wish.alpha, wish.power)))
