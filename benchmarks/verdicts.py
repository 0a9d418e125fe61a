"""How often equal runs are called different, wherever verdicts are given: the tables of docs/comparing.md.

    python benchmarks/verdicts.py [--tries 1000] [--seed 1] [overall] [uneven] [commands] [together] [looks]
        [gates] [gap]

Each share tells how often any of the verdicts that are given together is wrong, with the error that the
number of simulations leaves (95 %). Runs are equal if they answer with the same chances; steps have chances
of their own, those of a conversation are alike, or a conversation is answered all at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.power import with_many_commands
from benchmarks.tables import head, print_tables, tell
from du_eval.statistics.difference import Pair, cluster_sums, find_unseen
from du_eval.statistics.paired_f1 import f1_differences
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.sequential import SequentialComparison
from du_eval.statistics.significance import SWAPS, adjust_together, cluster_sign_flip, find_p
from du_eval.statistics.verdict import Criteria, Loss, Verdict, judge_loss
from tests.statistics.simulating import Dependence, simulated
from tests.statistics.simulating_runs import (
    MEAN_CHANCE,
    as_pairs,
    draw_answers,
    draw_figures,
    draw_skewed,
    draw_suite,
    draw_uneven_suites,
    draw_with_own_history,
)

SIZES = (15, 60)
KINDS = ("step by step", "all at once")
ALPHA = 0.05
Random = np.random.Generator


def overall(tries: int, random: Random) -> Iterator[str]:
    """Yield how often two equal runs are called different, by the one verdict of `compare`."""
    rates = (0.005, 0.02, 0.1)
    yield from head("conversations | their changes", *(f"{rate:g} change either way" for rate in rates))
    for size in (*SIZES, 300):
        for how in Dependence:
            draw = partial(simulated, random, size, dependence=how)
            cells = [tell(_is_called(draw(better=rate, worse=rate)) for _ in range(tries)) for rate in rates]
            yield f"| {size} | {how.value} | {' | '.join(cells)} |"
        cell = tell(_is_called(draw_skewed(random, size)) for _ in range(tries))
        yield f"| {size} | many win a step, a few lose all | | {cell} | |"


def _is_called(pairs: Sequence[Pair]) -> bool:
    return find_p(pairs)[0] < ALPHA


def uneven(tries: int, random: Random) -> Iterator[str]:
    """Yield how often even runs are called different where conversations of uneven lengths are lost."""
    yield from head("lengths | settings | swaps alone: mean | worst | du-eval: mean | worst | above 5 %")
    drawn = np.random.default_rng(20261118)
    found: dict[str, list[list[float]]] = {}
    for suite in draw_uneven_suites(drawn, 12):
        known = suite.draw_lengths(drawn, 50_000)
        called = [_is_uneven_called(suite.draw_changes(random, known)) for _ in range(tries)]
        found.setdefault(suite.lengths, []).append([sum(one) / tries for one in zip(*called, strict=True)])
    for lengths, rows in found.items():
        both = [f"{sum(one) / len(one):.1%} | {max(one):.1%}" for one in zip(*rows, strict=True)]
        above = sum(ours > ALPHA for _, ours in rows)
        yield f"| {lengths} | {len(rows)} | {' | '.join(both)} | {above} |"


def _is_uneven_called(clusters: Sequence[tuple[float, float]]) -> tuple[bool, bool]:
    """Tell whether a difference is called: by swaps alone, and with the bound."""
    alone = cluster_sign_flip([total for total, _ in clusters]) < ALPHA
    return alone, alone and find_unseen(clusters).p() < ALPHA


def commands(tries: int, random: Random) -> Iterator[str]:
    """Yield how often a command is called different that is not, where one changed or none."""
    yield from head("conversations | commands | none changed | one lost 0.3: the others")
    for size in SIZES:
        for kinds in (4, 10):
            cells = [
                tell(_is_other_called(random, seed, (size, kinds, loss)) for seed in range(tries))
                for loss in (0.0, 0.3)
            ]
            yield f"| {size} | {kinds} | {' | '.join(cells)} |"


def _is_other_called(random: Random, seed: int, setting: tuple[int, int, float]) -> bool:
    size, kinds, loss = setting
    before, after = with_many_commands(random, size, kinds, loss)
    found = f1_differences(before, after, Resampling(1000, seed)).commands
    called = {name for name, one in found.items() if one.adjusted_p is not None and one.adjusted_p < ALPHA}
    return bool(called - {"c0"} if loss else called)


@dataclass(frozen=True)
class Verdicts:
    """What is drawn: how many conversations, whether they are answered all at once, and what one run lost."""

    size: int
    is_whole: bool
    loss: float


Family = list[tuple[list[Pair], bool]]
"""What verdicts that share a correction are about, and whether it is equal in truth."""


def together(tries: int, random: Random) -> Iterator[str]:
    """Yield how often any of several verdicts that share one correction is wrong."""
    yield from head("conversations | verdicts", *KINDS, "one lost 0.15: the others")
    families: dict[str, Callable[[Random, Verdicts], Family]] = {
        "8 runs against one": partial(_draw_runs, [(0, one) for one in range(1, 9)], 9),
        "5 perturbations of 3 levels": partial(_draw_runs, [(0, one) for one in range(1, 16)], 16),
        "5 arms, all pairs": partial(_draw_runs, list(combinations(range(5), 2)), 5),
        "12 figures": partial(_draw_figures, 12),
    }
    for size in SIZES:
        for name, draw in families.items():
            cells = [
                tell(_is_wrong(draw(random, Verdicts(size, *how))) for _ in range(tries))
                for how in ((False, 0.0), (True, 0.0), (False, 0.15))
            ]
            yield f"| {size} | {name} | {' | '.join(cells)} |"


def _draw_runs(places: Sequence[tuple[int, int]], count: int, random: Random, asked: Verdicts) -> Family:
    """Return pairs of runs, of which the last one may have lost something."""
    suite = draw_suite(random, asked.size, is_whole=asked.is_whole)
    runs = [draw_answers(random, suite, asked.loss * (number == count - 1)) for number in range(count)]
    return [
        (as_pairs(suite, runs[one], runs[other]), not asked.loss or other < count - 1)
        for one, other in places
    ]


def _draw_figures(count: int, random: Random, asked: Verdicts) -> Family:
    """Return the figures of two runs, of which the last one may have lost something."""
    suite = draw_suite(random, asked.size, is_whole=asked.is_whole)
    before, after = (draw_figures(random, suite, count) for _ in range(2))
    after[-1] *= random.random(len(suite.of_step)) >= asked.loss
    return [
        (as_pairs(suite, before[one], after[one]), not asked.loss or one < count - 1) for one in range(count)
    ]


def _is_wrong(family: Family) -> bool:
    """Tell whether a difference is called where there is none, by the rule of comparisons and experiments."""
    sums: list[dict[Hashable, float]] = [
        {cluster: total for cluster, (total, _) in cluster_sums(pairs).items()} for pairs, _ in family
    ]
    found = [one for pairs, _ in family if (one := rate_difference(pairs)) is not None]
    adjusted = adjust_together(found, sums, Resampling(SWAPS))
    return any(is_equal and p < ALPHA for (_, is_equal), p in zip(family, adjusted, strict=True))


def looks(tries: int, random: Random) -> Iterator[str]:
    """Yield how often a comparison that looks again and again ever calls equal runs different."""
    counts = (5, 10, 20)
    yield from head("conversations | their changes", *(f"{count} looks" for count in counts))
    for size in (60, 300):
        draws = {
            how.value: partial(simulated, random, size, better=0.03, worse=0.03, dependence=how)
            for how in Dependence
        }
        for how, draw in {
            **draws,
            "many win a step, a few lose all": partial(draw_skewed, random, size),
            "the same, eight steps": partial(draw_skewed, random, size, 8, 0.015),
        }.items():
            cells = [
                tell(_is_ever_called(draw(), size, count, seed) for seed in range(tries)) for count in counts
            ]
            yield f"| {size} | {how} | {' | '.join(cells)} |"


def _is_ever_called(found: Sequence[Pair], size: int, count: int, seed: int) -> bool:
    comparison, step = SequentialComparison(Criteria(margin=0.0, seed=seed), count), size / count
    for look in range(count):
        batch = [pair for pair in found if step * look <= pair.cluster < step * (look + 1)]
        if comparison.add(batch).verdict is not Verdict.UNDECIDED:
            return True
    return False


def gates(tries: int, random: Random) -> Iterator[str]:
    """Yield how often a gate fails where every figure lost just what is allowed."""
    yield from head("conversations | figures", *KINDS)
    for size in (60, 200):
        for count in (1, 3, 12):
            cells = [
                tell(_is_failed(random, size, count, is_whole=how) for _ in range(tries))
                for how in (False, True)
            ]
            yield f"| {size} | {count} | {' | '.join(cells)} |"


def _is_failed(random: Random, size: int, count: int, *, is_whole: bool) -> bool:
    """Tell whether the loss of any figure is called larger than allowed, at alpha over all of them."""
    suite, allowed = draw_suite(random, size, is_whole=is_whole), 0.1
    before = draw_figures(random, suite, count)
    after = draw_figures(random, suite, count, allowed / MEAN_CHANCE)
    found = (
        rate_difference(as_pairs(suite, *pair), ALPHA / count) for pair in zip(before, after, strict=True)
    )
    return any(one is not None and judge_loss(one, allowed) is Loss.LARGER for one in found)


def gap(tries: int, random: Random) -> Iterator[str]:
    """Yield how often the interval of the exposure gap holds the truth."""
    yield from head("conversations | right | harmed by a wrong history | gap | coverage | mean width")
    for size in (20, 60, 200):
        for chance, harm in ((0.95, 0.3), (0.85, 0.1), (0.85, 0.5), (0.7, 0.9)):
            drawn = [draw_with_own_history(random, size, chance, harm) for _ in range(tries)]
            found = [(rate_difference(pairs), truth) for pairs, truth in drawn]
            known = [(one.interval, truth) for one, truth in found if one is not None]
            held = tell(one.low <= truth <= one.high for one, truth in known)
            width = sum(one.width for one, _ in known) / tries
            yield f"| {size} | {chance:g} | {harm:g} | {-drawn[0][1]:.3f} | {held} | {width:.3f} |"


if __name__ == "__main__":
    print_tables([overall, uneven, commands, together, looks, gates, gap], 1000)
