"""How often intervals of rates hold the truth, and how wide they are, by several methods at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_settings import EXAMPLES, GROUPS
from benchmarks.tables import head
from du_eval.statistics.clusters import clustered_interval
from du_eval.statistics.quantiles import normal_quantile, t_quantile
from tests.statistics.simulating_rates import Drawn, Setting, draw_runs


@dataclass(frozen=True)
class Held:
    """How one method does in one setting."""

    coverage: float
    width: float


Floats = NDArray[np.float64]
Method = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""From successes and attempts, as runs x conversations, to the ends of the interval of each run."""


def measure(method: Method, drawn: Drawn) -> Held:
    """Return how often the intervals of a method hold the truth, and their mean width."""
    low, high = method(drawn.successes.astype(float), drawn.attempts.astype(float))
    is_held = (low - 1e-12 <= drawn.truth) & (drawn.truth <= high + 1e-12)
    return Held(float(is_held.mean()), float((high - low).mean()))


def _wilson(good: Floats, n: Floats, quantile: Floats | float) -> tuple[Floats, Floats]:
    squared, rate = np.square(quantile), good / n
    centre = (rate + squared / (2 * n)) / (1 + squared / n)
    half = (
        quantile * np.sqrt(np.maximum(0, rate * (1 - rate)) / n + squared / (4 * n * n)) / (1 + squared / n)
    )
    return np.where(good <= 0, 0, centre - half), np.where(good >= n, 1, centre + half)


def _student(freedom: Floats) -> Floats:
    """Return the 97.5 % quantile at degrees of freedom that are rounded to one decimal."""
    values, places = np.unique(np.round(freedom, 1), return_inverse=True)
    return np.array([t_quantile(0.975, value) for value in values.tolist()])[places]


def plain(good: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Return the Wilson intervals that take all attempts as independent."""
    return _wilson(good.sum(axis=1), n.sum(axis=1), normal_quantile(0.975))


def estimated(good: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Return the Wilson intervals at the design effect just as it is estimated: the first version."""
    total, count, right = n.sum(axis=1), (n > 0).sum(axis=1), good.sum(axis=1)
    rate = right / total
    between = np.square(good - rate[:, None] * n).sum(axis=1) * count / (count - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = np.where((rate > 0) & (rate < 1), np.maximum(1, between / total / (rate * (1 - rate))), 1)
    is_spread = effect > count / (count - 1) + 1e-9
    quantile = np.where(is_spread, _student(count - 1.0), normal_quantile(0.975))
    return _wilson(right / effect, total / effect, quantile)


def ours(good: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Return the intervals of du-eval for all runs at once, and check some of them with the real function."""
    total, count, right = n.sum(axis=1), (n > 0).sum(axis=1), good.sum(axis=1)
    is_mirrored = 2 * right > total
    rare = np.where(is_mirrored[:, None], n - good, good)
    seen, size = rare.sum(axis=1), np.square(n).sum(axis=1) / total
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.where(seen > 0, np.square(seen) / np.square(rare).sum(axis=1), 0)
        other_spread = np.square(total - seen) / np.square(n - rare).sum(axis=1)
    spread = np.where(2 * seen == total, np.minimum(spread, other_spread), spread)
    made_up = np.clip(count / 200, 0.1, 0.5)
    whole = total + 2 * made_up * size
    rate = (seen + made_up * size) / whole
    between = (np.square(rare - rate[:, None] * n) / (1 - n / whole[:, None])).sum(axis=1)
    between += made_up * np.square(size) * (np.square(1 - rate) + np.square(rate)) / (1 - size / whole)
    effect = np.where(count < total, np.maximum(1, between / whole / (rate * (1 - rate))), 1)
    freedom = np.maximum(3, np.minimum(2 * (total / size - 1), 20 + spread))
    quantiles = _student(np.minimum(freedom, 3 + 2 * spread)), _student(freedom)
    low, other = (_wilson(seen / effect, total / effect, one) for one in quantiles)
    unseen = 1 - 0.04 ** ((n.max(axis=1) * count / total) ** 0.8 / count)
    high = np.where(2 * seen == total, low[1], np.maximum(other[1], unseen / np.maximum(1, spread)))
    high = np.where(seen > 0, high, unseen)
    is_single = (spread == 1) & (2 * seen != total)
    least = np.where(is_single, np.minimum(low[0], 0.04 * seen / total), low[0])
    found = np.where(is_mirrored, 1 - high, least), np.where(is_mirrored, 1 - least, high)
    found = tuple(np.where(total > 3, one, few) for one, few in zip(found, plain(good, n), strict=True))
    for run in range(0, len(good), max(1, len(good) // 5)):
        one = clustered_interval(list(zip(good[run].tolist(), n[run].tolist(), strict=True)))
        assert one is not None
        assert np.allclose((found[0][run], found[1][run]), (one.low, one.high), atol=5e-3)  # ties of rounding
    return found[0], found[1]


def simpler(good: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Return the intervals of a simpler method: half a conversation of each kind, and Student's quantile."""
    total, count, right = n.sum(axis=1), (n > 0).sum(axis=1), good.sum(axis=1)
    size = total / count
    whole, rate = total + size, (right + size / 2) / (total + size)
    between = np.square(good - rate[:, None] * n).sum(axis=1)
    between += np.square(size) / 2 * (np.square(1 - rate) + np.square(rate))
    effect = np.maximum(1, between * (count + 1) / count / whole / (rate * (1 - rate)))
    return _wilson(right / effect, total / effect, _student(count - 1.0))


_SHOWN = 5
METHODS: dict[str, Method] = {
    "independent": plain,
    "estimated": estimated,
    "simpler": simpler,
    "du-eval": ours,
}


def rates(tries: int, random: np.random.Generator) -> Iterator[str]:
    """Yield how rates do: by groups of settings, and the worst settings."""
    yield from head(
        "settings | method | mean coverage | 93 % or more in | below 91 % | lowest | mean width | ratio"
    )
    worst: list[tuple[float, str]] = []
    for name, settings in GROUPS.items():
        table = [_of_setting(one, tries, random) for one in settings]
        base = sum(row["estimated"].width for row in table)
        for method in METHODS:
            held = [row[method] for row in table]
            good, least = (sum(one.coverage >= share for one in held) for share in (0.93, 0.91))
            width = sum(one.width for one in held)
            yield (
                f"| {name}: {len(settings)} | {method} | {mean([one.coverage for one in held]):.1%} "
                f"| {good / len(held):.1%} | {len(held) - least} | {min(one.coverage for one in held):.1%} "
                f"| {width / len(held):.3f} | {width / base:.2f} |"
            )
        rows = [(row["du-eval"].coverage, _row(one, row)) for one, row in zip(settings, table, strict=True)]
        worst += sorted(rows)[:_SHOWN]
    yield ""
    yield from head("conversations | steps | samples | model | rate | correlation", *METHODS)
    yield from (line for _, line in worst)


def examples(tries: int, random: np.random.Generator) -> Iterator[str]:
    """Yield coverage and width of each method in settings that have a name."""
    yield from head(" | conversations | rate | correlation", *METHODS)
    for name, setting in EXAMPLES.items():
        row = _of_setting(setting, tries, random)
        cells = " | ".join(f"{row[method].coverage:.1%} ({row[method].width:.2f})" for method in METHODS)
        yield f"| {name} | {setting.conversations} | {setting.rate:g} | {setting.correlation:g} | {cells} |"


def _of_setting(setting: Setting, tries: int, random: np.random.Generator) -> dict[str, Held]:
    drawn = draw_runs(setting, tries, random)
    return {name: measure(method, drawn) for name, method in METHODS.items()}


def _row(setting: Setting, row: dict[str, Held]) -> str:
    low, high = setting.steps
    steps = str(low) if low == high else f"{low}–{high}"
    cells = " | ".join(f"{row[name].coverage:.1%} ({row[name].width:.3f})" for name in METHODS)
    return (
        f"| {setting.conversations} | {steps} | {setting.samples} | {setting.model.value} | {setting.rate:g} "
        f"| {setting.correlation:g} | {cells} |"
    )


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
