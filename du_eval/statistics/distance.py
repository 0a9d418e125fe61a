"""How far two texts are apart: by edits of letters, by swaps of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

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


def find_cheapest_assignment(costs: Sequence[Sequence[float]]) -> list[int]:
    """Return the column of each row so that the sum of costs is smallest; needs as many columns as rows.

    This is the Hungarian method with potentials: rows come one by one, each along a shortest path.
    """
    width = len(costs[0]) if costs else 0
    row_potential, column_potential = [0.0] * (len(costs) + 1), [0.0] * (width + 1)
    owner, previous = [0] * (width + 1), [0] * (width + 1)
    for row in range(1, len(costs) + 1):
        owner[0] = row
        column = _path(costs, owner, previous, (row_potential, column_potential))
        while column:
            owner[column] = owner[previous[column]]
            column = previous[column]
    found = [0] * len(costs)
    for column in range(1, width + 1):
        if owner[column]:
            found[owner[column] - 1] = column - 1
    return found


def _path(
    costs: Sequence[Sequence[float]],
    owner: list[int],
    previous: list[int],
    potentials: tuple[list[float], list[float]],
) -> int:
    """Return the free column that a shortest path reaches, and leave the path in `previous`."""
    rows, columns = potentials
    width = len(owner)
    shortest, visited = [inf] * width, [False] * width
    here = 0
    while owner[here]:
        visited[here] = True
        row, step, following = owner[here], inf, 0
        for column in range(1, width):
            if visited[column]:
                continue
            reduced = costs[row - 1][column - 1] - rows[row] - columns[column]
            if reduced < shortest[column]:
                shortest[column], previous[column] = reduced, here
            if shortest[column] < step:
                step, following = shortest[column], column
        for column in range(width):
            if visited[column]:
                rows[owner[column]] += step
                columns[column] -= step
            else:
                shortest[column] -= step
        here = following
    return here
