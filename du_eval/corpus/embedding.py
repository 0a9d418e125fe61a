"""How close a response is to its target, or to its source, in a space of word vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Flags, Floats, Ids, Ints, Texts
from du_eval.corpus.metric import Corpus, MetricColumn, Need, Scores, require
from du_eval.corpus.ngrams import line_blocks
from du_eval.corpus.vector_files import Vectors

_BLOCK_CELLS = 100_000
_PAIR_CELLS = 100_000


def sum_vectors(texts: Texts, vectors: Vectors) -> Floats:
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
        found[ties] = _first_extremes(texts.choose_lines(ties), vectors)
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


_FREQUENCY_WEIGHT = 0.001
_BLOCK_WORDS = 200_000


class EmbeddingAverage(Struct, frozen=True):
    """Cosine between the averages of the word vectors of response and target (or of source and response).

    `frequency_weights` gives frequent words of the training data less weight, as the original tool does.
    """

    against_source: bool = False
    frequency_weights: bool = False

    @property
    def columns(self) -> tuple[MetricColumn, ...]:
        """One cosine."""
        return (MetricColumn("coherence" if self.against_source else "embedding-average", low=-1.0),)

    @property
    def needs(self) -> frozenset[Need]:
        """Vectors and the other side; training data where words are weighted."""
        other = Need.SOURCE if self.against_source else Need.TARGET
        return frozenset({Need.VECTORS, other} | ({Need.TRAIN_SOURCE} if self.frequency_weights else set()))

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a known word on both sides."""
        vectors = require(corpus.vectors, Need.VECTORS)
        other = corpus.source if self.against_source else corpus.target
        usable = vectors.usable
        if self.frequency_weights:
            vectors = vectors.scale(_weights(corpus))
        values = _by_blocks(
            corpus.responses.keep_words(usable),
            other.keep_words(usable),
            lambda left, right: cosines(sum_vectors(left, vectors), sum_vectors(right, vectors)),
        )
        weighting = "sif:0.001" if self.frequency_weights else "plain"
        signature = f"{_signature(vectors)}|average:{weighting}"
        return {self.columns[0].name: Scores(values, signature=signature)}


class EmbeddingExtrema:
    """Cosine between the vectors that hold the most extreme value of each dimension."""

    columns = (MetricColumn("embedding-extrema", low=-1.0),)
    needs = frozenset({Need.VECTORS, Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a known word on both sides."""
        vectors = require(corpus.vectors, Need.VECTORS)
        usable = vectors.usable
        values = _by_blocks(
            corpus.responses.keep_words(usable),
            corpus.target.keep_words(usable),
            lambda left, right: cosines(extremes(left, vectors), extremes(right, vectors)),
        )
        return {"embedding-extrema": Scores(values, signature=_signature(vectors))}


class EmbeddingGreedy(Struct, frozen=True):
    """Mean cosine of each word with its best match on the other side, averaged over both directions.

    `clamped` counts a negative best match as 0 and drops lines with a side of 0, as the original does.
    """

    clamped: bool = False

    columns = (MetricColumn("embedding-greedy", low=-1.0),)
    needs = frozenset({Need.VECTORS, Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a known word on both sides."""
        vectors = require(corpus.vectors, Need.VECTORS)
        usable = vectors.usable
        responses, target = corpus.responses.keep_words(usable), corpus.target.keep_words(usable)
        sides = best_matches(responses, target, vectors.normalise(), floor=0.0 if self.clamped else -np.inf)
        values = (sides[0] + sides[1]) / 2
        if self.clamped:
            values = np.where((sides[0] == 0) | (sides[1] == 0), np.nan, values)
        signature = f"{_signature(vectors)}|clamped:{'yes' if self.clamped else 'no'}"
        return {"embedding-greedy": Scores(values, signature=signature)}


def _by_blocks(left: Texts, right: Texts, score: Callable[[Texts, Texts], Floats]) -> Floats:
    """Score pairs of lines in blocks, so that memory does not grow with the corpus."""
    ranges = line_blocks(left.lengths + right.lengths + 1, _BLOCK_WORDS)
    parts = [score(left.between(first, last), right.between(first, last)) for first, last in ranges]
    return np.concatenate(parts) if parts else np.zeros(0)


def _weights(corpus: Corpus) -> Floats:
    """Return a/(a + p) for each word: the weight of smooth inverse frequency."""
    training = require(corpus.training, Need.TRAIN_SOURCE)
    return _FREQUENCY_WEIGHT / (_FREQUENCY_WEIGHT + training.probabilities)


def _signature(vectors: Vectors) -> str:
    return f"vectors:{vectors.name}|dim:{vectors.matrix.shape[1]}"
