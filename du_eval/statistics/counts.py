"""Counts of hits and misses, and the precision, recall and F1 they give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives, false negatives, and how many were expected."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    total: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.total + other.total)

    def __sub__(self, other: Counts) -> Counts:
        return Counts(self.tp - other.tp, self.fp - other.fp, self.fn - other.fn, self.total - other.total)

    @property
    def precision(self) -> float | None:
        """The share of predictions that were right."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """The share of expectations that were met."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)


def summed(counts: Iterable[Counts]) -> Counts:
    """Return the sum of counts."""
    return sum(counts, Counts())


@dataclass(frozen=True, slots=True)
class Averages:
    """F1 over several commands, and how many of them had no F1 to average."""

    macro: float | None
    micro: float | None
    weighted: float | None
    skipped: int = 0


def averages(by_name: Mapping[str, Counts]) -> Averages:
    """Return macro, micro and weighted F1; commands whose F1 is undefined are skipped and counted."""
    known = [(counts.f1, counts.total) for counts in by_name.values() if counts.f1 is not None]
    return Averages(
        macro=_ratio(sum(f1 for f1, _ in known), len(known)),
        micro=summed(by_name.values()).f1,
        weighted=_ratio(sum(f1 * total for f1, total in known), sum(total for _, total in known)),
        skipped=len(by_name) - len(known),
    )


def pooled(parts: Sequence[Mapping[str, Counts]]) -> dict[str, Counts]:
    """Return the counts of all parts by name, in order of first occurrence."""
    found: dict[str, Counts] = {}
    for part in parts:
        for name, counts in part.items():
            found[name] = found.get(name, Counts()) + counts
    return found


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa of two lists of labels; None where it is undefined."""
    n = len(one)
    if n == 0 or n != len(other):
        return None
    same = sum(a == b for a, b in zip(one, other, strict=True)) / n
    left, right = Counter(one), Counter(other)
    chance = sum(left[label] * right[label] for label in left) / n**2
    return None if chance == 1 else (same - chance) / (1 - chance)
