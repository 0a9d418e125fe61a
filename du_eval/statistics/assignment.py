"""The cheapest one-to-one assignment of rows to columns."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf


def cheapest_assignment(costs: Sequence[Sequence[float]]) -> list[int]:
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
