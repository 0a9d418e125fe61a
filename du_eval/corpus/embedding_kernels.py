"""Sums, extremes and best matches of word vectors, for many lines at once.

Lines are taken in order of their length, so that the n-th words of all lines that have one form a block:
each step is then one array operation over a block that fits the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from du_eval.corpus.lexicon import Flags, Floats, Ids, Ints, Texts
from du_eval.corpus.vectors import Vectors

_BLOCK_CELLS = 100_000
_PAIR_CELLS = 100_000


def summed(texts: Texts, vectors: Vectors) -> Floats:
    """Return the sum of the word vectors of each line; every word must have a vector."""
    total = np.zeros((len(texts), vectors.matrix.shape[1]))
    for lines, steps in _steps(texts, vectors):
        block = np.zeros((len(lines), total.shape[1]))
        for rows in steps:
            block[: len(rows)] += vectors.matrix[rows]
        total[lines] = block
    return total


def extremes(texts: Texts, vectors: Vectors) -> Floats:
    """Return for each line and dimension the value of largest magnitude; of +x and -x, the first."""
    found = np.zeros((len(texts), vectors.matrix.shape[1]))
    undecided = np.zeros(len(texts), np.bool_)
    for lines, steps in _steps(texts, vectors):
        highest = np.zeros((len(lines), found.shape[1]))
        lowest = np.zeros_like(highest)
        for rows in steps:
            values = vectors.matrix[rows]
            np.maximum(highest[: len(rows)], values, out=highest[: len(rows)])
            np.minimum(lowest[: len(rows)], values, out=lowest[: len(rows)])
        np.negative(lowest, out=lowest)
        undecided[lines] = ((highest == lowest) & (highest > 0)).any(axis=1)
        found[lines] = np.where(highest > lowest, highest, -lowest)
    ties = np.flatnonzero(undecided)
    if len(ties):
        found[ties] = _first_extremes(texts.choosing(ties), vectors)
    return found


def _first_extremes(texts: Texts, vectors: Vectors) -> Floats:
    """Return the extremes word by word, which decides ties by order at a higher cost."""
    found = np.zeros((len(texts), vectors.matrix.shape[1]))
    for lines, steps in _steps(texts, vectors):
        block = np.zeros((len(lines), found.shape[1]))
        for rows in steps:
            values = vectors.matrix[rows]
            current = block[: len(rows)]
            np.copyto(current, values, where=np.abs(values) > np.abs(current))
        found[lines] = block
    return found


def _steps(texts: Texts, vectors: Vectors) -> Iterator[tuple[Ints, Iterator[Ids]]]:
    """Yield blocks of lines, longest first, each with the rows of its first words, then of its second."""
    lengths = texts.lengths
    order = np.argsort(-lengths, kind="stable")
    order = order[: np.count_nonzero(lengths)]
    rows = vectors.row_of[texts.ids]
    size = max(1, _BLOCK_CELLS // max(1, vectors.matrix.shape[1]))
    for first in range(0, len(order), size):
        lines = order[first : first + size]
        yield lines, _columns(rows, texts.starts[lines], lengths[lines])


def _columns(rows: Ids, starts: Ints, lengths: Ints) -> Iterator[Ids]:
    """Yield the rows of the n-th words of those lines (longest first) that have one."""
    ascending = lengths[::-1]
    for place in range(int(lengths[0])):
        many = len(lengths) - int(np.searchsorted(ascending, place, side="right"))
        yield rows[starts[:many] + place]


def cosines(left: Floats, right: Floats) -> Floats:
    """Return the cosine of each pair of rows, NaN where either is all zero."""
    dots = np.einsum("ij,ij->i", left, right)
    squares = np.einsum("ij,ij->i", left, left) * np.einsum("ij,ij->i", right, right)
    known = left.any(axis=1) & right.any(axis=1) & (squares > 0)
    return np.where(known, dots / np.sqrt(np.where(known, squares, 1)), np.nan)


def best_matches(left: Texts, right: Texts, units: Vectors, floor: float = -np.inf) -> tuple[Floats, Floats]:
    """Return the mean over the words of each line of the best cosine on the other side, for both sides.

    Every word must have a vector of length 1; a best cosine below the floor counts as the floor; a line
    without words on either side gives NaN on both.
    """
    lefts, rights = left.lengths, right.lengths
    forward = np.full(len(left), np.nan)
    backward = np.full(len(left), np.nan)
    for lines in _pair_blocks(lefts, rights, units.matrix.shape[1]):
        rows, row_gaps = _padded(left, lines, units)
        columns, column_gaps = _padded(right, lines, units)
        cosine = units.matrix[rows] @ units.matrix[columns].transpose(0, 2, 1)
        forward[lines] = _best_mean(cosine, row_gaps, column_gaps, floor)
        backward[lines] = _best_mean(cosine.transpose(0, 2, 1), column_gaps, row_gaps, floor)
    return forward, backward


def _best_mean(cosine: Floats, row_gaps: Flags | None, column_gaps: Flags | None, floor: float) -> Floats:
    if column_gaps is not None:
        cosine = np.where(column_gaps[:, None, :], -np.inf, cosine)
    best = np.maximum(cosine.max(axis=2), floor)
    if row_gaps is None:
        return best.mean(axis=1)  # type: ignore[no-any-return]
    best[row_gaps] = 0
    return best.sum(axis=1) / (~row_gaps).sum(axis=1)  # type: ignore[no-any-return]


def _pair_blocks(lefts: Ints, rights: Ints, dimensions: int) -> Iterator[Ints]:
    """Yield lines of similar lengths on both sides, as many as fit the cache."""
    order = np.lexsort((rights, lefts))
    order = order[(lefts[order] > 0) & (rights[order] > 0)]
    first = 0
    while first < len(order):
        line = order[first]
        cells = (int(lefts[line]) + int(rights[line])) * dimensions
        last = min(len(order), first + max(1, _PAIR_CELLS // cells))
        yield order[first:last]
        first = last


def _padded(texts: Texts, lines: Ints, vectors: Vectors) -> tuple[Ids, Flags | None]:
    """Return the rows of the lines' words as a table, and where it has gaps (None if nowhere)."""
    lengths = texts.lengths[lines]
    longest = int(lengths.max())
    places = texts.starts[lines][:, None] + np.arange(longest)
    if int(lengths.min()) == longest:
        return vectors.row_of[texts.ids[places]], None
    gaps = np.arange(longest) >= lengths[:, None]
    places[gaps] = np.repeat(texts.starts[lines], longest - lengths)
    return vectors.row_of[texts.ids[places]], gaps
