"""How often the intervals of F1, of means and of corpora hold the truth in one setting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.coverage_rates import Floats, Held, mean, measure, ours, plain
from du_eval.corpus.diversity import Distinct, Repetition
from du_eval.corpus.metric import Corpus
from du_eval.statistics.f1 import f1_intervals
from du_eval.statistics.paired_means import clustered_half_width
from tests.corpus.conftest import build
from tests.statistics.simulating_f1 import Commands, as_cases, draw_counts, true_scores
from tests.statistics.simulating_rates import Drawn

Random = np.random.Generator


@dataclass(frozen=True)
class Both:
    """The coverage of each command, or of an average: with attempts as independent where that is defined."""

    independent: tuple[float, ...]
    ours: tuple[float, ...]


def list_f1_settings() -> list[Commands]:
    """Return settings drawn once."""
    drawn = np.random.default_rng(20270203)
    return [
        Commands(
            round(10 * 40 ** drawn.random()),
            1 - round(0.02 * 20 ** drawn.random(), 3),
            round(0.8 * drawn.random(), 2),
        )
        for _ in range(24)
    ]


def hold_f1(commands: Commands, runs: int, random: Random) -> dict[str, Both]:
    """Return the coverage of precision, recall and F1 of each command, and of each average."""
    truth, counts = true_scores(commands), draw_counts(commands, runs, random)
    tp, fp, fn = (counts[..., place].astype(float) for place in range(3))
    wrong, replaced = 1 - commands.rate, 0.5
    found: dict[str, list[tuple[float, float]]] = {"precision": [], "recall": [], "F1": []}
    for kind, share in enumerate(commands.shares()):
        right, false = share * commands.rate, share * wrong * replaced * (1 - share)
        for name, more, value in (
            ("precision", fp, right / (right + false)),
            ("recall", fn, commands.rate),
            ("F1", fp + fn, truth[f"c{kind}"] / (2 - truth[f"c{kind}"])),
        ):
            found[name].append(_hold(tp[..., kind], tp[..., kind] + more[..., kind], value))
    micro = _hold(tp.sum(axis=2), (tp + fp + fn).sum(axis=2), truth["micro"] / (2 - truth["micro"]))
    some = [f1_intervals(as_cases(run)).averages for run in counts]
    averages = {
        name: Both((), (mean([one[name].low <= truth[name] <= one[name].high for one in some]),))
        for name in ("macro", "weighted")
    }
    of_rates = {
        name: Both(*zip(*shares, strict=True)) for name, shares in {**found, "micro": [micro]}.items()
    }
    return {**of_rates, **averages}


def _hold(good: Floats, n: Floats, truth: float) -> tuple[float, float]:
    """Return the coverage over the runs that have any attempt: as independent ones, and as they are."""
    is_known = n.sum(axis=1) > 0
    drawn = Drawn(good[is_known], n[is_known], truth)
    return measure(plain, drawn).coverage, measure(ours, drawn).coverage


def hold_means(count: int, alike: float, tries: int, random: Random) -> tuple[Held, Held, float]:
    """Return how means over lines do, as if lines were independent and as they are, and what is right."""
    found = []
    for _ in range(tries):
        sizes = random.integers(2, 21, count)
        own = np.repeat(random.standard_normal(count), sizes) * alike**0.5
        values = own + random.standard_normal(len(own)) * (1 - alike) ** 0.5
        halves = [clustered_half_width(values, one, 0.95) or 0.0 for one in ((), sizes.tolist())]
        found.append((abs(values.mean()), *halves))
    table = np.array(found)
    alone, held = (
        Held(float((table[:, 0] <= half).mean()), float(half.mean())) for half in (table[:, 1], table[:, 2])
    )
    return alone, held, float(1.96 * np.sqrt(np.square(table[:, 0]).mean()))


def hold_corpora(lines: int, share: float, tries: int, random: Random) -> dict[str, tuple[float, Held]]:
    """Return the value of distinct-4 and repetition-2, and how their intervals do."""
    held = {}
    for metric in (Distinct(4), Repetition(2)):
        (name,) = (column.name for column in metric.columns)
        found = [metric.score(_draw_corpus(lines, share, random))[name] for _ in range(tries)]
        truth = mean([one.value or 0.0 for one in found])
        halves = [clustered_half_width(one.lines, (), 0.95, 1.0) or 0.0 for one in found]
        hits = [abs((one.value or 0.0) - truth) <= h for one, h in zip(found, halves, strict=True)]
        held[name] = truth, Held(mean(hits), mean(halves))
    return held


def _draw_corpus(lines: int, share: float, random: np.random.Generator) -> Corpus:
    """Return lines of random words; some end with a phrase of many, some repeat their first words."""
    texts = []
    for words in random.integers(0, 100_000, (lines, 12)):
        text = " ".join(f"w{word}" for word in words)
        text += " i am sorry i did not get that" if random.random() < share else ""
        texts.append(f"{text} {' '.join(text.split()[:5])}" if random.random() < share else text)
    return build(texts)
