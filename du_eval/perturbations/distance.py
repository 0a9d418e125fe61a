"""How far a changed text is from the original: by single edits of letters, or by swaps of neighbours."""

from __future__ import annotations

from collections.abc import Sequence


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
