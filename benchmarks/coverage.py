"""How often the intervals of a run hold the truth, and how wide they are: the tables of docs/numbers.md.

    python benchmarks/coverage.py [--tries 1000] [--seed 1] [figures] [rates] [examples] [f1] [missing]
        [corpora] [means] [repeats] [speed]

`figures` has a row for each kind of figure, the other tables have its settings one by one.
`rates` goes through conversations of one to eight steps and of forty replies, 10 to 800 of them, steps that
fail one by one or all at once, rates from .5 to .99, several models of dependence, up to ten samples, and
errors at random. The settings called `held out` and `beyond` played no part when the constants of the method
were chosen, see `coverage_settings.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.coverage_numbers import hold_corpora, hold_f1, hold_means, list_f1_settings
from benchmarks.coverage_rates import examples, mean, measure, ours, plain, rates
from benchmarks.coverage_settings import GROUPS, REPLIES, STEPS
from benchmarks.tables import head, print_tables
from du_eval.statistics.clusters import clustered_interval, clustered_proportion
from du_eval.statistics.counts import Counts
from du_eval.statistics.f1 import f1_intervals
from du_eval.statistics.intervals import wilson
from du_eval.statistics.success import SuccessRatio, chances_over_k
from tests.statistics.simulating_f1 import Commands, draw_cases
from tests.statistics.simulating_rates import Drawn, Model, Setting, draw_runs

Random = np.random.Generator
_MEANS = tuple(product((10, 40, 160), (0.0, 0.3, 0.8)))
_CORPORA = ((50, 0.02), (50, 0.1), (200, 0.01), (200, 0.05), (600, 0.01))
_COMMANDS = {
    "precision": "precision of a command",
    "recall": "recall of a command",
    "F1": "F1 of a command",
    "micro": "micro F1",
    "macro": "macro F1",
    "weighted": "weighted F1",
}


def figures(tries: int, random: Random) -> Iterator[str]:
    """Yield how the interval of each kind of figure does."""
    yield from head(
        "figure | settings | attempts as independent: lowest | du-eval: mean | lowest | 93 % or more"
    )
    replies = {
        f"quality rate, 10 dialogues of 40 replies, rate .98, correlation {alike:g}": [
            Setting(Model.BETA, 10, REPLIES, 0.98, alike)
        ]
        for alike in (0.1, 0.3, 0.6)
    }
    agents = {"passed samples of agents, 10 a case": GROUPS["agent cases"]}
    for name, settings in {"step accuracy": GROUPS["steps"], **replies, **agents}.items():
        drawn = [draw_runs(one, tries, random) for one in settings]
        alone, held = ([measure(method, one).coverage for one in drawn] for method in (plain, ours))
        yield _row(name, len(settings), alone, held)
    commands = [hold_f1(one, tries, random) for one in list_f1_settings()]
    for name, title in _COMMANDS.items():
        alone = [share for one in commands for share in one[name].independent]
        yield _row(title, len(commands), alone, [share for one in commands for share in one[name].ours])
    over_lines = [hold_means(*one, tries, random) for one in _MEANS]
    alone, held = ([one[place].coverage for one in over_lines] for place in (0, 1))
    yield _row("metrics over lines of conversations", len(_MEANS), alone, held)
    texts = [hold_corpora(*one, tries, random) for one in _CORPORA]
    for name, where in (("distinct-4", "near 1"), ("repetition-2", "near 0")):
        yield _row(f"{name} {where}", len(_CORPORA), [], [one[name][1].coverage for one in texts])
    yield from ("", *_repeat_answers())


def _row(name: str, settings: int, alone: Sequence[float], held: Sequence[float]) -> str:
    lowest = f"{min(alone):.1%}" if alone else ""
    good = sum(share >= 0.93 for share in held)
    return f"| {name} | {settings} | {lowest} | {mean(held):.1%} | {min(held):.1%} | {good} of {len(held)} |"


def _repeat_answers() -> Iterator[str]:
    """Yield what ten samples of a generator that always answers alike do to intervals."""
    yield from head("always the same answer | one sample | ten samples | ten as independent")
    rows = {
        "62 of 68 steps right, in 17 conversations": [(4, 4)] * 15 + [(1, 4)] * 2,
        "17 of 17 steps right, in 17 conversations": [(1, 1)] * 17,
    }
    for name, clusters in rows.items():
        often = [(10 * good, 10 * n) for good, n in clusters]
        alone = wilson(sum(good for good, _ in often), sum(n for _, n in often))
        cells = [f"{found.interval} (n={found.n})" for found in map(clustered_proportion, (clusters, often))]
        yield f"| {name} | {' | '.join(cells)} | {alone} |"


def f1(tries: int, random: Random) -> Iterator[str]:
    """Yield how precision, recall and F1 do, by command and averaged, in settings drawn once."""
    yield from head("conversations | right | correlation", *_COMMANDS)
    found = []
    for commands in list_f1_settings():
        row = hold_f1(commands, tries, random)
        found.append(row)
        cells = " | ".join(f"{min(row[name].ours):.1%}" for name in _COMMANDS)
        yield f"| {commands.conversations} | {commands.rate:g} | {commands.correlation:g} | {cells} |"
    for what, choose in (("mean", mean), ("lowest", min)):
        totals = (choose([share for row in found for share in row[name].ours]) for name in _COMMANDS)
        yield f"| {what} | | | " + " | ".join(f"{cell:.1%}" for cell in totals) + " |"


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
    for lines, share in _CORPORA:
        cells = [
            f"{truth:.3f} ± {held.width:.3f}: {held.coverage:.1%}"
            for truth, held in hold_corpora(lines, share, tries, random).values()
        ]
        yield f"| {lines} | {share:g} | {' | '.join(cells)} |"


def means(tries: int, random: Random) -> Iterator[str]:
    """Yield how means over lines do where the lines of a conversation are alike."""
    yield from head("conversations | correlation | lines as independent | du-eval | right half width")
    for count, alike in _MEANS:
        *both, right = hold_means(count, alike, tries, random)
        cells = " | ".join(f"{one.coverage:.1%} (±{one.width:.2f})" for one in both)
        yield f"| {count} | {alike:g} | {cells} | ±{right:.2f} |"


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
    print_tables([figures, corpora, means, rates, examples, f1, missing, repeats, speed], 1000)
