"""How well two judges agree beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa of two lists of labels; None where it is undefined."""
    n = len(one)
    if n == 0 or n != len(other):
        return None
    same = sum(a == b for a, b in zip(one, other, strict=True)) / n
    left, right = Counter(one), Counter(other)
    chance = sum(left[label] * right[label] for label in left) / n**2
    return None if chance == 1 else (same - chance) / (1 - chance)
