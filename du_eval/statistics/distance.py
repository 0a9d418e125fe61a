"""How far two texts are apart."""

from __future__ import annotations

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
