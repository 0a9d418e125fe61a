"""How often the intervals of a run hold the truth, and how wide they are: the tables of docs/numbers.md.

    python benchmarks/coverage.py [--tries 1000] [--seed 1] [rates] [examples] [f1] [missing] [corpora]
        [means] [repeats] [speed]

`rates` goes through conversations of one to eight steps and of forty replies, 10 to 800 of them, steps that
fail one by one or all at once, rates from .5 to .99, several models of dependence, up to ten samples, and
errors at random. The settings called `held out` and `beyond` played no part when the constants of the method
were chosen, see `coverage_settings.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.coverage_rates import Floats, examples, mean, measure, ours, rates
from benchmarks.coverage_settings import STEPS
from benchmarks.tables import head, print_tables
from du_eval.corpus.diversity import Distinct, Repetition
from du_eval.corpus.metric import Corpus
from du_eval.statistics.clusters import clustered_interval
from du_eval.statistics.counts import Counts
from du_eval.statistics.f1 import f1_intervals
from du_eval.statistics.paired_means import clustered_half_width
from du_eval.statistics.success import SuccessRatio, chances_over_k
from tests.corpus.conftest import build
from tests.statistics.simulating_f1 import Commands, as_cases, draw_cases, draw_counts, true_scores
from tests.statistics.simulating_rates import Drawn, Model, Setting, draw_runs

Random = np.random.Generator


def f1(tries: int, random: Random) -> Iterator[str]:
    """Yield how precision, recall and F1 do, by command and averaged, in settings drawn once."""
    names = ("precision", "recall", "F1", "micro", "macro", "weighted")
    yield from head("conversations | right | correlation", *names)
    drawn, found = np.random.default_rng(20270203), []
    for _ in range(24):
        commands = Commands(
            round(10 * 40 ** drawn.random()),
            1 - round(0.02 * 20 ** drawn.random(), 3),
            round(0.8 * drawn.random(), 2),
        )
        row = _hold_f1(commands, tries, random)
        found.append(row)
        cells = " | ".join(f"{min(row[name]):.1%}" for name in names)
        yield f"| {commands.conversations} | {commands.rate:g} | {commands.correlation:g} | {cells} |"
    for what, choose in (("mean", mean), ("lowest", min)):
        totals = (choose([share for row in found for share in row[name]]) for name in names)
        yield f"| {what} | | | " + " | ".join(f"{cell:.1%}" for cell in totals) + " |"


def _hold_f1(commands: Commands, runs: int, random: np.random.Generator) -> dict[str, list[float]]:
    """Return the coverage of each command and of each average."""
    truth, counts = true_scores(commands), draw_counts(commands, runs, random)
    tp, fp, fn = (counts[..., place].astype(float) for place in range(3))
    wrong, replaced = 1 - commands.rate, 0.5
    rates: dict[str, list[float]] = {"precision": [], "recall": [], "F1": []}
    for kind, share in enumerate(commands.shares()):
        right, false = share * commands.rate, share * wrong * replaced * (1 - share)
        for name, more, value in (
            ("precision", fp, right / (right + false)),
            ("recall", fn, commands.rate),
            ("F1", fp + fn, truth[f"c{kind}"] / (2 - truth[f"c{kind}"])),
        ):
            rates[name].append(_hold(tp[..., kind], tp[..., kind] + more[..., kind], value))
    micro = _hold(tp.sum(axis=2), (tp + fp + fn).sum(axis=2), truth["micro"] / (2 - truth["micro"]))
    some = [f1_intervals(as_cases(run)).averages for run in counts]
    averages = {
        name: [mean([one[name].low <= truth[name] <= one[name].high for one in some])]
        for name in ("macro", "weighted")
    }
    return {**rates, "micro": [micro], **averages}


def _hold(good: Floats, n: Floats, truth: float) -> float:
    """Return the coverage over the runs that have any attempt."""
    is_known = n.sum(axis=1) > 0
    return measure(ours, Drawn(good[is_known], n[is_known], truth)).coverage


def missing(tries: int, random: Random) -> Iterator[str]:
    """Yield how a rate does when steps are lost, at random or because they would have failed."""
    yield from head("errored | lost | judged steps only | bounds with their intervals")
    setting = Setting(Model.BETA, 80, STEPS, 0.9, 0.3)
    for right, wrong, how in (
        (0.1, 0.1, "at random"),
        (0.02, 0.5, "mostly wrong ones"),
        (0.3, 0.05, "mostly right ones"),
    ):
        drawn = draw_runs(setting, tries, random)
        good = drawn.successes - random.binomial(drawn.successes, right)
        bad = drawn.attempts - drawn.successes
        bad = bad - random.binomial(bad, wrong)
        lost = drawn.attempts - good - bad
        judged = measure(ours, Drawn(good, good + bad, drawn.truth))
        hits = sum(
            _holds(*row, drawn.truth) for row in zip(good.tolist(), bad.tolist(), lost.tolist(), strict=True)
        )
        share = lost.sum() / drawn.attempts.sum()
        yield f"| {share:.0%} | {how} | {judged.coverage:.1%} | {hits / tries:.1%} |"


def _holds(good: list[int], bad: list[int], lost: list[int], truth: float) -> bool:
    """Tell whether the truth lies between the worst and the best that the missing steps allow."""
    worst = clustered_interval([(g, g + b + m) for g, b, m in zip(good, bad, lost, strict=True)])
    best = clustered_interval([(g + m, g + b + m) for g, b, m in zip(good, bad, lost, strict=True)])
    assert worst is not None
    assert best is not None
    return worst.low <= truth <= best.high


def corpora(tries: int, random: Random) -> Iterator[str]:
    """Yield how distinct-4 near 1 and repetition-2 near 0 do: most lines move them not at all."""
    yield from head("lines | share of lines that repeat | distinct-4 | repetition-2")
    for lines, share in ((50, 0.02), (50, 0.1), (200, 0.01), (200, 0.05), (600, 0.01)):
        cells = []
        for metric in (Distinct(4), Repetition(2)):
            (name,) = (column.name for column in metric.columns)
            found = [metric.score(_draw_corpus(lines, share, random))[name] for _ in range(tries)]
            truth = mean([one.value or 0.0 for one in found])
            halves = [clustered_half_width(one.lines, (), 0.95, 1.0) or 0.0 for one in found]
            hits = sum(abs((one.value or 0.0) - truth) <= h for one, h in zip(found, halves, strict=True))
            cells.append(f"{truth:.3f} ± {mean(halves):.3f}: {hits / tries:.1%}")
        yield f"| {lines} | {share:g} | {' | '.join(cells)} |"


def means(tries: int, random: Random) -> Iterator[str]:
    """Yield how means over lines do where the lines of a conversation are alike."""
    yield from head("conversations | correlation | lines as independent | du-eval")
    for count, alike in product((10, 40, 160), (0.0, 0.3, 0.8)):
        found = []
        for _ in range(tries):
            sizes = random.integers(2, 21, count)
            own = np.repeat(random.standard_normal(count), sizes) * alike**0.5
            values = own + random.standard_normal(len(own)) * (1 - alike) ** 0.5
            halves = [clustered_half_width(values, one, 0.95) or 0.0 for one in ((), sizes.tolist())]
            found.append((abs(values.mean()), *halves))
        cells = [f"{mean([far <= one[place] for far, *one in found]):.1%}" for place in (0, 1)]
        wide = [mean([one[place] for one in found]) for place in (1, 2)]
        yield f"| {count} | {alike:g} | {cells[0]} (±{wide[0]:.2f}) | {cells[1]} (±{wide[1]:.2f}) |"


def _draw_corpus(lines: int, share: float, random: np.random.Generator) -> Corpus:
    """Return lines of random words; some end with a phrase of many, some repeat their first words."""
    texts = []
    for words in random.integers(0, 100_000, (lines, 12)):
        text = " ".join(f"w{word}" for word in words)
        text += " i am sorry i did not get that" if random.random() < share else ""
        texts.append(f"{text} {' '.join(text.split()[:5])}" if random.random() < share else text)
    return build(texts)


def repeats(tries: int, random: Random) -> Iterator[str]:
    """Yield pass@k and pass^k where a case ends as soon as it is decided, beside the truth."""
    ratio, alike = SuccessRatio(3, 5), 0.5
    yield from head("rate of a sample | k | pass@k: truth | mean estimate | pass^k: truth | mean estimate")
    for rate in (0.3, 0.6, 0.9):
        own = random.beta(rate * (1 - alike) / alike, (1 - rate) * (1 - alike) / alike, (tries, 40))
        found = [chances_over_k([_sample(one, ratio, random) for one in row]) for row in own.tolist()]
        sure = random.beta(rate * (1 - alike) / alike, (1 - rate) * (1 - alike) / alike, 1_000_000)
        for k in (1, 2, 3):
            known = [one for each in found for one in each.by_k if one.k == k]
            told = [mean([getattr(one, name) for one in known]) for name in ("at_least_one", "all_of_them")]
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


def speed(_: int, random: Random) -> Iterator[str]:
    """Yield the CPU time of all intervals of a run: accuracy, six commands, and averages."""
    yield from head("steps | conversations | CPU seconds")
    for count in (5_000, 20_000):
        commands = Commands(count, 0.9, 0.2, kinds=6)
        cases = draw_cases(commands, random, steps=(4, 4))
        begin = process_time()
        clustered_interval([(sum(one.tp for one in case.values()), 4) for case in cases])
        for kind in range(commands.kinds):
            counts = [case.get(f"c{kind}", Counts()) for case in cases]
            clustered_interval([(one.tp, one.tp + one.fp) for one in counts])
            clustered_interval([(one.tp, one.tp + one.fn) for one in counts])
        f1_intervals(cases)
        yield f"| {4 * count:,} | {count:,} | {process_time() - begin:.2f} |"


if __name__ == "__main__":
    print_tables([corpora, means, rates, examples, f1, missing, repeats, speed], 1000)
