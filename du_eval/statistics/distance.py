"""How far two texts are apart: by edits of letters, by swaps of neighbours."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST = 200


def text_distance(first: str, second: str) -> float:
    """Return the edits from one text to the other as a share of the longer one: 0 is equal, 1 all different.

    Only the first 200 characters are looked at: the answer is for judging near misses, not for long texts.
    """
    a, b = first[:_LONGEST], second[:_LONGEST]
    if a == b:
        return 0.0
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            cost = diagonal + (left != right)
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, cost)
    return row[-1] / max(len(a), len(b))


def edit_distance(one: str, other: str) -> int:
    """Return the number of insertions, deletions, substitutions and exchanges of neighbours between texts."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        last, row = row, [i]
        for j, right in enumerate(other, 1):
            cost = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = last
    return row[-1]


def inversions(order: Sequence[int]) -> int:
    """Return how many swaps of neighbours put an order right."""
    return sum(one > other for place, one in enumerate(order) for other in order[place + 1 :])
