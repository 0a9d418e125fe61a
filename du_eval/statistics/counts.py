"""Counts of hits and misses, and the precision, recall and F1 they give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from heapq import heapify, heapreplace

from msgspec import Struct, field


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


class Counts(Struct, frozen=True, omit_defaults=True):
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


def sum_counts(counts: Iterable[Counts]) -> Counts:
    """Return the sum of counts."""
    return sum(counts, Counts())


class Averages(Struct, frozen=True):
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
        micro=sum_counts(by_name.values()).f1,
        weighted=_ratio(sum(f1 * total for f1, total in known), sum(total for _, total in known)),
        skipped=len(by_name) - len(known),
    )


class LostSteps(Struct, frozen=True):
    """What steps that were not judged expected, by command, and how many commands they may have given."""

    expected: Mapping[str, int] = field(default_factory=dict)
    answers: int = 0

    @classmethod
    def of(cls, steps: Iterable[Sequence[str]]) -> LostSteps:
        """Count the expected commands of each step; one that expects none may have given one."""
        found, answers = Counter[str](), 0
        for names in steps:
            found.update(names)
            answers += max(1, len(names))
        return cls(found, answers)


def bound_command(counts: Counts, name: str, lost: LostSteps) -> tuple[Counts, Counts]:
    """Return the worst and the best counts that a command can have, whatever the lost steps gave.

    At worst all its expectations are missing, and every command that the lost steps may have given is this
    one: steps that expect other commands, too.
    """
    count = lost.expected.get(name, 0)
    worst = counts + Counts(fp=lost.answers, fn=count, total=count)
    return worst, counts + Counts(tp=count, total=count)


def bound_averages(by_name: Mapping[str, Counts], lost: LostSteps) -> tuple[Averages, Averages]:
    """Return the lowest and the highest averages of F1, whatever the lost steps gave.

    At worst each wrong command is the one of those known whose F1 it lowers most.
    """
    names = sorted({*by_name, *lost.expected})
    bounds = [bound_command(by_name.get(name, Counts()), name, LostSteps(lost.expected)) for name in names]
    missing = [worst for worst, _ in bounds]
    weights = [float(one.total) for one in missing]
    best = averages(dict(zip(names, (one for _, one in bounds), strict=True)))
    micro = sum_counts([*missing, Counts(fp=lost.answers)]).f1
    macro = _lower(missing, [float(one.f1 is not None) for one in missing], lost.answers)
    return Averages(macro, micro, _lower(missing, weights, lost.answers)), best


def _lower(counts: Sequence[Counts], weights: Sequence[float], answers: int) -> float | None:
    """Return the weighted mean of F1 with so many false positives, each where it costs most.

    Each further one of a command costs less than the one before, so the greedy choice is the best one.
    """
    total = sum(weights)
    if not total:
        return None
    halves = [
        (2 * one.tp * weight, 2 * one.tp + one.fp + one.fn)
        for one, weight in zip(counts, weights, strict=True)
    ]
    heap = [(share / (size + 1) - share / size, share, size) for share, size in halves if share]
    heapify(heap)
    for _ in range(answers if heap else 0):
        _, share, size = heap[0]
        heapreplace(heap, (share / (size + 2) - share / (size + 1), share, size + 1))
    return sum(share / size for _, share, size in heap) / total


def pool_counts(parts: Sequence[Mapping[str, Counts]]) -> dict[str, Counts]:
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
