"""How often the intervals of a run hold the truth, and how wide they are: the tables of docs/numbers.md.

    python benchmarks/coverage.py [--runs 2000] [rates] [examples] [f1] [missing] [corpora] [repeats] [speed]

`rates` goes through conversations of one to eight steps and of forty replies, 10 to 800 of them, steps that
fail one by one or all at once, rates from .5 to .99, several models of dependence, up to ten samples, and
errors at random. The settings called `held out` and `beyond` played no part when the constants of the method
were chosen, see `coverage_settings.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.coverage_settings import EXAMPLES, GROUPS, STEPS
from du_eval.corpus.diversity import Distinct, Repetition
from du_eval.corpus.metric import Corpus
from du_eval.statistics.clusters import clustered_interval
from du_eval.statistics.counts import Counts
from du_eval.statistics.f1 import f1_intervals
from du_eval.statistics.paired_means import clustered_half_width
from du_eval.statistics.quantiles import normal_quantile, t_quantile
from du_eval.statistics.success import SuccessRatio, chances_over_k
from tests.corpus.conftest import build
from tests.statistics.simulating_f1 import Commands, draw_cases, true_scores
from tests.statistics.simulating_rates import Drawn, Model, Setting, draw_runs


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
    whole = total + size / 4
    rate = (seen + size / 8) / whole
    between = (np.square(rare - rate[:, None] * n) / (1 - n / whole[:, None])).sum(axis=1)
    between += np.square(size) / 8 * (np.square(1 - rate) + np.square(rate)) / (1 - size / whole)
    effect = np.where(count < total, np.maximum(1, between / whole / (rate * (1 - rate))), 1)
    effect = np.where(seen > 0, effect, total / count)
    freedom = np.maximum(3, np.minimum(1.25 * (total / size - 1), 12 + spread / 2))
    edge = _student(np.minimum(freedom, 3 + 2 * spread))
    other = np.where(2 * seen == total, edge, _student(freedom))
    low, high = (_wilson(seen / effect, total / effect, one)[end] for end, one in enumerate((edge, other)))
    high = np.where(seen > 0, high, 1 - 0.05 ** (np.sqrt(n.max(axis=1) * count / total) / count))
    found = np.where(is_mirrored, 1 - high, low), np.where(is_mirrored, 1 - low, high)
    for run in range(0, len(good), max(1, len(good) // 5)):
        if total[run] > 3:  # up to three attempts are taken as independent
            one = clustered_interval(list(zip(good[run].tolist(), n[run].tolist(), strict=True)))
            assert one is not None
            assert np.allclose(
                (found[0][run], found[1][run]), (one.low, one.high), atol=1e-4
            )  # ties of rounding
    return found


_SHOWN = 5
METHODS: dict[str, Method] = {"independent": plain, "estimated": estimated, "du-eval": ours}


def rates(runs: int) -> Iterator[str]:
    """Yield how rates do: by groups of settings, and the worst settings."""
    yield "| settings | method | mean coverage | 93 % or more in | below 91 % | lowest | mean width | ratio |"
    yield "|---|---|---|---|---|---|---|---|"
    worst: list[tuple[float, str]] = []
    for name, settings in GROUPS.items():
        seeds = range(1000 * len(name), 1000 * len(name) + len(settings))
        table = [_of_setting(one, seed, runs) for one, seed in zip(settings, seeds, strict=True)]
        base = sum(row["estimated"].width for row in table)
        for method in METHODS:
            held = [row[method] for row in table]
            good, least = (sum(one.coverage >= share for one in held) for share in (0.93, 0.91))
            width = sum(one.width for one in held)
            yield (
                f"| {name}: {len(settings)} | {method} | {_mean([one.coverage for one in held]):.1%} "
                f"| {good / len(held):.1%} | {len(held) - least} | {min(one.coverage for one in held):.1%} "
                f"| {width / len(held):.3f} | {width / base:.2f} |"
            )
        rows = [(row["du-eval"].coverage, _row(one, row)) for one, row in zip(settings, table, strict=True)]
        worst += sorted(rows)[:_SHOWN]
    yield ""
    yield "| conversations | steps | samples | model | rate | correlation | " + " | ".join(METHODS) + " |"
    yield "|---|---|---|---|---|---|---|---|---|"
    yield from (line for _, line in worst)


def examples(runs: int) -> Iterator[str]:
    """Yield coverage and width of each method in settings that have a name."""
    yield "| | conversations | rate | correlation | " + " | ".join(METHODS) + " |"
    yield "|---|---|---|---|" + "---|" * len(METHODS)
    for seed, (name, setting) in enumerate(EXAMPLES.items()):
        row = _of_setting(setting, seed, runs)
        cells = " | ".join(f"{row[method].coverage:.1%} ({row[method].width:.2f})" for method in METHODS)
        yield f"| {name} | {setting.conversations} | {setting.rate:g} | {setting.correlation:g} | {cells} |"


def _of_setting(setting: Setting, seed: int, runs: int) -> dict[str, Held]:
    many = runs if setting.conversations < 300 else max(200, runs // 2)
    drawn = draw_runs(setting, many, np.random.default_rng(seed))
    return {name: measure(method, drawn) for name, method in METHODS.items()}


def _row(setting: Setting, row: dict[str, Held]) -> str:
    low, high = setting.steps
    steps = str(low) if low == high else f"{low}–{high}"
    cells = " | ".join(f"{row[name].coverage:.1%} ({row[name].width:.3f})" for name in METHODS)
    return (
        f"| {setting.conversations} | {steps} | {setting.samples} | {setting.model.value} | {setting.rate:g} "
        f"| {setting.correlation:g} | {cells} |"
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def f1(runs: int) -> Iterator[str]:
    """Yield how F1 does, by command and averaged."""
    runs = max(200, runs // 4)
    yield "| conversations | right | correlation | commands: mean | lowest | macro | micro | weighted |"
    yield "|---|---|---|---|---|---|---|---|"
    for count, (rate, correlation) in product(
        (10, 20, 40, 80, 200), ((0.8, 0.0), (0.9, 0.1), (0.8, 0.3), (0.95, 0.6))
    ):
        commands = Commands(count, rate, correlation)
        hits, seen = _f1_hits(commands, runs, np.random.default_rng(count))
        shares = {name: hits[name] / seen[name] for name in hits}
        single = [share for name, share in shares.items() if name.startswith("c")]
        means = " | ".join(f"{shares[name]:.1%}" for name in ("macro", "micro", "weighted"))
        yield f"| {count} | {rate:g} | {correlation:g} | {_mean(single):.1%} | {min(single):.1%} | {means} |"


def _f1_hits(
    commands: Commands, runs: int, random: np.random.Generator
) -> tuple[dict[str, int], dict[str, int]]:
    truth = true_scores(commands)
    hits, seen = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    for _ in range(runs):
        found = f1_intervals(draw_cases(commands, random))
        for name, interval in {**found.commands, **found.averages}.items():
            seen[name] += 1
            hits[name] += interval.low <= truth[name] <= interval.high
    return hits, seen


def missing(runs: int) -> Iterator[str]:
    """Yield how a rate does when steps are lost, at random or because they would have failed."""
    yield "| errored | lost | judged steps only | bounds with their intervals |"
    yield "|---|---|---|---|"
    setting = Setting(Model.BETA, 80, STEPS, 0.9, 0.3)
    for right, wrong, how in (
        (0.1, 0.1, "at random"),
        (0.02, 0.5, "mostly wrong ones"),
        (0.3, 0.05, "mostly right ones"),
    ):
        random = np.random.default_rng(3)
        drawn = draw_runs(setting, runs, random)
        good = drawn.successes - random.binomial(drawn.successes, right)
        bad = drawn.attempts - drawn.successes
        bad = bad - random.binomial(bad, wrong)
        lost = drawn.attempts - good - bad
        judged = measure(ours, Drawn(good, good + bad, drawn.truth))
        hits = sum(
            _holds(*row, drawn.truth) for row in zip(good.tolist(), bad.tolist(), lost.tolist(), strict=True)
        )
        share = lost.sum() / drawn.attempts.sum()
        yield f"| {share:.0%} | {how} | {judged.coverage:.1%} | {hits / runs:.1%} |"


def _holds(good: list[int], bad: list[int], lost: list[int], truth: float) -> bool:
    """Tell whether the truth lies between the worst and the best that the missing steps allow."""
    worst = clustered_interval([(g, g + b + m) for g, b, m in zip(good, bad, lost, strict=True)])
    best = clustered_interval([(g + m, g + b + m) for g, b, m in zip(good, bad, lost, strict=True)])
    assert worst is not None
    assert best is not None
    return worst.low <= truth <= best.high


def corpora(runs: int) -> Iterator[str]:
    """Yield how distinct-4 near 1 and repetition-2 near 0 do: most lines move them not at all."""
    runs = max(100, runs // 5)
    yield "| lines | share of lines that repeat | distinct-4 | repetition-2 |"
    yield "|---|---|---|---|"
    for lines, share in ((50, 0.02), (50, 0.1), (200, 0.01), (200, 0.05), (600, 0.01)):
        random = np.random.default_rng(lines)
        cells = []
        for metric in (Distinct(4), Repetition(2)):
            (name,) = (column.name for column in metric.columns)
            found = [metric.score(_draw_corpus(lines, share, random))[name] for _ in range(runs)]
            truth = _mean([one.value or 0.0 for one in found])
            halves = [clustered_half_width(one.lines, (), 0.95, 1.0) or 0.0 for one in found]
            hits = sum(abs((one.value or 0.0) - truth) <= h for one, h in zip(found, halves, strict=True))
            cells.append(f"{truth:.3f} ± {_mean(halves):.3f}: {hits / runs:.1%}")
        yield f"| {lines} | {share:g} | {' | '.join(cells)} |"


def _draw_corpus(lines: int, share: float, random: np.random.Generator) -> Corpus:
    """Return lines of random words; some end with a phrase of many, some repeat their first words."""
    texts = []
    for words in random.integers(0, 100_000, (lines, 12)):
        text = " ".join(f"w{word}" for word in words)
        text += " i am sorry i did not get that" if random.random() < share else ""
        texts.append(f"{text} {' '.join(text.split()[:5])}" if random.random() < share else text)
    return build(texts)


def repeats(runs: int) -> Iterator[str]:
    """Yield pass@k and pass^k where a case ends as soon as it is decided, beside the truth."""
    ratio, alike = SuccessRatio(3, 5), 0.5
    yield "| rate of a sample | k | pass@k: truth | mean estimate | pass^k: truth | mean estimate |"
    yield "|---|---|---|---|---|---|"
    for rate in (0.3, 0.6, 0.9):
        random = np.random.default_rng(5)
        own = random.beta(rate * (1 - alike) / alike, (1 - rate) * (1 - alike) / alike, (runs, 40))
        found = [chances_over_k([_sample(one, ratio, random) for one in row]) for row in own.tolist()]
        sure = random.beta(rate * (1 - alike) / alike, (1 - rate) * (1 - alike) / alike, 1_000_000)
        for k in (1, 2, 3):
            known = [one for each in found for one in each.by_k if one.k == k]
            told = [_mean([getattr(one, name) for one in known]) for name in ("at_least_one", "all_of_them")]
            yield (
                f"| {rate:g} | {k} | {1 - ((1 - sure) ** k).mean():.3f} | {told[0]:.3f} "
                f"| {(sure**k).mean():.3f} | {told[1]:.3f} |"
            )


def _sample(rate: float, ratio: SuccessRatio, random: np.random.Generator) -> list[bool]:
    """Return samples of a case up to the one that decides it."""
    found: list[bool] = []
    while ratio.decision(sum(found), len(found) - sum(found)) is None:
        found.append(bool(random.random() < rate))
    return found


def speed(_: int) -> Iterator[str]:
    """Yield the CPU time of all intervals of a run: accuracy, six commands, and averages."""
    yield "| steps | conversations | CPU seconds |"
    yield "|---|---|---|"
    for count in (5_000, 20_000):
        commands = Commands(count, 0.9, 0.2, kinds=6)
        cases = draw_cases(commands, np.random.default_rng(1), steps=(4, 4))
        begin = process_time()
        clustered_interval([(sum(one.tp for one in case.values()), 4) for case in cases])
        for kind in range(commands.kinds):
            counts = [case.get(f"c{kind}", Counts()) for case in cases]
            clustered_interval([(one.tp, one.tp + one.fp) for one in counts])
            clustered_interval([(one.tp, one.tp + one.fn) for one in counts])
        f1_intervals(cases)
        yield f"| {4 * count:,} | {count:,} | {process_time() - begin:.2f} |"


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    "corpora": corpora,
    "rates": rates,
    "examples": examples,
    "f1": f1,
    "missing": missing,
    "repeats": repeats,
    "speed": speed,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; default: all")
    parser.add_argument("--runs", type=int, default=2000)
    arguments = parser.parse_args()
    for name in arguments.tables or TABLES:
        for line in TABLES[name](arguments.runs):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
