"""How often a comparison decides and how often it is wrong: the tables of docs/comparing.md, by simulation.

    python benchmarks/power.py [--tries 400] [--seed 1] [power] [coverage] [f1] [sequential] [stopping] [gate]
        [commands]

Two runs over conversations of one to six steps. In the first table 2 % of the steps get better by chance, and
so many more get worse as the table says; changes of a conversation come together, as they do in practice.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.tables import head, print_tables
from du_eval.statistics.counts import Counts
from du_eval.statistics.paired_f1 import f1_differences
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.sequential import SequentialComparison
from du_eval.statistics.verdict import Criteria, Loss, Verdict, decide_verdict, judge_loss
from tests.statistics.simulating import Dependence, simulated, simulated_counts, true_f1_difference

STEPS = (100, 300, 1000, 3000)
LOSSES = (0.0, 0.01, 0.02, 0.05, 0.1)
RATES = ((0.005, 0.005), (0.02, 0.02), (0.05, 0.02), (0.02, 0.0))
CONVERSATIONS = (15, 40, 80, 300)
MEAN = 3.5


def power(tries: int, random: np.random.Generator) -> Iterator[str]:
    """Yield how often a loss is found, and how often two runs are called equivalent."""
    yield from head("true loss of accuracy", *(f"{steps} steps" for steps in STEPS))
    for loss in LOSSES:
        cells = []
        for steps in STEPS:
            found = [
                rate_difference(simulated(random, int(steps / MEAN), better=0.02, worse=0.02 + loss))
                for _ in range(tries)
            ]
            verdicts = [decide_verdict(one, Criteria()) for one in found if one]
            shares = [
                f"{100 * verdicts.count(verdict) / tries:.0f} %"
                for verdict in (Verdict.REGRESSED, Verdict.EQUIVALENT)
            ]
            cells.append(" / ".join(shares))
        yield f"| {loss:g} | " + " | ".join(cells) + " |"


def coverage(tries: int, random: np.random.Generator) -> Iterator[str]:
    """Yield how often the interval of accuracy holds the truth, and equal runs are called different."""
    yield from head(
        "conversations | their changes | better / worse | conversations changed | coverage | p < 0.05"
    )
    for dependence in Dependence:
        for conversations in CONVERSATIONS:
            for better, worse in RATES:
                truth = better - worse
                hits = wrong = changed = 0
                for _ in range(tries):
                    pairs = simulated(
                        random, conversations, better=better, worse=worse, dependence=dependence
                    )
                    found = rate_difference(pairs)
                    assert found is not None
                    hits += found.interval.low <= truth <= found.interval.high
                    wrong += found.p < 0.05
                    changed += len({pair.cluster for pair in pairs if pair.difference})
                called = f"{100 * wrong / tries:.1f} %" if better == worse else ""
                yield (
                    f"| {conversations} | {dependence.value} | {better:g} / {worse:g} "
                    f"| {changed / tries:.1f} | {100 * hits / tries:.1f} % | {called} |"
                )


def f1(tries: int, random: np.random.Generator) -> Iterator[str]:
    """Yield the same for F1."""
    yield from head(
        "conversations with the command | their changes | right before | got right / got wrong"
        " | coverage | p < 0.05"
    )
    changes = ((0.95, 0.0, 0.01), (0.8, 0.05, 0.0125), (0.8, 0.2, 0.05), (0.9, 0.2, 0.1))
    for how in (Dependence.NONE, Dependence.STRONG):
        for conversations, (right, up, down) in product((10, 30, 100, 300), changes):
            truth = true_f1_difference(right, up, down)
            hits = wrong = 0
            for seed in range(tries):
                before, after = simulated_counts(
                    random, conversations, right, (up, down), is_whole=how is Dependence.STRONG
                )
                found = f1_differences(before, after, Resampling(500, seed)).commands["set slot"]
                assert found.interval is not None
                assert found.p is not None
                hits += found.interval.low <= truth <= found.interval.high
                wrong += found.p < 0.05
            called = f"{100 * wrong / tries:.1f} %" if abs(truth) < 1e-9 else ""
            covered = f"{100 * hits / tries:.1f} %"
            yield f"| {conversations} | {how.value} | {right:g} | {up:g} / {down:g} | {covered} | {called} |"


def sequential(tries: int, random: np.random.Generator, batch: int = 20, looks: int = 15) -> Iterator[str]:
    """Yield how often runs that end early are right, and which share of the calls they need."""
    yield from head("better / worse | regressed | improved | equivalent | calls")
    for better, worse in ((0.05, 0.05), (0.02, 0.02), (0.002, 0.002), (0.02, 0.08), (0.02, 0.12)):
        verdicts, used = [], 0.0
        for _ in range(tries):
            pairs = simulated(random, batch * looks, better=better, worse=worse)
            comparison = SequentialComparison(Criteria(margin=0.03), looks)
            for first in range(0, batch * looks, batch):
                look = comparison.add([p for p in pairs if first <= p.cluster < first + batch])
                if look.verdict is not Verdict.UNDECIDED:
                    break
            verdicts.append(look.verdict)
            used += look.items / len(pairs) / tries
        shares = (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.EQUIVALENT)
        cells = " | ".join(f"{100 * verdicts.count(verdict) / tries:.1f} %" for verdict in shares)
        yield f"| {better:g} / {worse:g} | {cells} | {100 * used:.0f} % |"


def stopping(tries: int, random: np.random.Generator) -> Iterator[str]:
    """Yield how often a loss is found in ten looks, and which share of the calls that takes."""
    yield from head("conversations | true loss | regressed | calls")
    for size in (80, 300):
        for loss in (0.0, 0.05, 0.1):
            found, used = 0, 0.0
            for _ in range(tries):
                pairs = simulated(random, size, better=0.02, worse=0.02 + loss)
                comparison = SequentialComparison(Criteria(margin=0.0), 10)
                for first in range(0, size, size // 10):
                    look = comparison.add([p for p in pairs if first <= p.cluster < first + size // 10])
                    if look.verdict is not Verdict.UNDECIDED:
                        break
                found += look.verdict is Verdict.REGRESSED
                used += look.items / len(pairs) / tries
            yield f"| {size} | {loss:g} | {found / tries:.1%} | {used:.0%} |"


def gate(tries: int, random: np.random.Generator) -> Iterator[str]:
    """Yield what a gate says that allows a loss of 0.02: failed / passed, the rest is no verdict."""
    sizes = (80, 300, 800)
    yield from head("true loss | changes", *(f"{size} conversations" for size in sizes))
    rows = [(loss, Dependence.MILD) for loss in (0.0, 0.05, 0.1)] + [(0.02, how) for how in Dependence]
    for loss, how in sorted(rows):
        cells = []
        for size in sizes:
            judged = Counter(_judge_gate(random, size, loss, how) for _ in range(tries))
            cells.append(f"{judged[Loss.LARGER] / tries:.1%} / {judged[Loss.SMALLER] / tries:.1%}")
        yield f"| {loss:g} | {how.value} | " + " | ".join(cells) + " |"


def _judge_gate(random: np.random.Generator, size: int, loss: float, how: Dependence) -> Loss:
    found = rate_difference(simulated(random, size, better=0.02, worse=0.02 + loss, dependence=how))
    assert found is not None
    return judge_loss(found, 0.02)


def commands(tries: int, random: np.random.Generator) -> Iterator[str]:
    """Yield how often the one command that got worse is found, and how often another one is called so."""
    yield from head(
        "conversations | commands | lost by one of them | found | at alpha / commands | others called"
    )
    for conversations in (40, 100):
        for kinds, loss in ((4, 0.0), (4, 0.3), (8, 0.3)):
            right = alone = wrong = 0
            for seed in range(tries):
                before, after = with_many_commands(random, conversations, kinds, loss)
                found = f1_differences(before, after, Resampling(1000, seed)).commands
                called = [name for name, one in found.items() if (one.adjusted_p or 1.0) < 0.05]
                right += "c0" in called
                alone += (found["c0"].p or 1.0) < 0.05 / len(found) if "c0" in found else 0
                wrong += any(name != "c0" for name in called)
            cells = " | ".join(f"{count / tries:.1%}" for count in (right, alone, wrong))
            yield f"| {conversations} | {kinds} | {loss:g} | {cells} |"


def with_many_commands(
    random: np.random.Generator, conversations: int, kinds: int, loss: float
) -> tuple[list[dict[str, Counts]], list[dict[str, Counts]]]:
    """Return conversations of one to four commands; 4 % change by chance, and one command gets worse."""
    runs: tuple[list[dict[str, Counts]], list[dict[str, Counts]]] = ([], [])
    for size in random.integers(1, 5, conversations):
        names = [f"c{kind}" for kind in random.integers(0, kinds, size)]
        for side, run in enumerate(runs):
            found: dict[str, Counts] = {}
            for name in names:
                is_lost = random.random() < 0.04 + (loss if side and name == "c0" else 0.0)
                found[name] = found.get(name, Counts()) + Counts(not is_lost, 0, int(is_lost), 1)
            run.append(found)
    return runs


if __name__ == "__main__":
    print_tables([power, coverage, f1, sequential, stopping, gate, commands], 400)
