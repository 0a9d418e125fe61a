"""How close a response is to its target, or to its source, in a space of word vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from du_eval.corpus.embedding_kernels import best_matches, cosines, extremes, summed
from du_eval.corpus.lexicon import Floats, Texts
from du_eval.corpus.metric import Column, Corpus, MetricError, Need, Scores
from du_eval.corpus.ngrams import line_blocks
from du_eval.corpus.vectors import Vectors

_FREQUENCY_WEIGHT = 0.001
_BLOCK_WORDS = 200_000


@dataclass(frozen=True, slots=True)
class EmbeddingAverage:
    """Cosine between the averages of the word vectors of response and target (or of source and response).

    `frequency_weights` gives frequent words of the training data less weight, as the original tool does.
    """

    against_source: bool = False
    frequency_weights: bool = False

    @property
    def columns(self) -> tuple[Column, ...]:
        """One cosine."""
        return (Column("coherence" if self.against_source else "embedding-average", low=-1.0),)

    @property
    def needs(self) -> frozenset[Need]:
        """Vectors and the other side; training data where words are weighted."""
        other = Need.SOURCE if self.against_source else Need.TARGET
        return frozenset({Need.VECTORS, other} | ({Need.TRAIN_SOURCE} if self.frequency_weights else set()))

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a known word on both sides."""
        vectors = _vectors(corpus)
        other = corpus.source if self.against_source else corpus.target
        usable = vectors.usable
        if self.frequency_weights:
            vectors = vectors.scaled(_weights(corpus))
        values = _by_blocks(
            corpus.responses.keeping(usable),
            other.keeping(usable),
            lambda left, right: cosines(summed(left, vectors), summed(right, vectors)),
        )
        weighting = "sif:0.001" if self.frequency_weights else "plain"
        signature = f"{_signature(vectors)}|average:{weighting}"
        return {self.columns[0].name: Scores(values, signature=signature)}


class EmbeddingExtrema:
    """Cosine between the vectors that hold the most extreme value of each dimension."""

    columns = (Column("embedding-extrema", low=-1.0),)
    needs = frozenset({Need.VECTORS, Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a known word on both sides."""
        vectors = _vectors(corpus)
        usable = vectors.usable
        values = _by_blocks(
            corpus.responses.keeping(usable),
            corpus.target.keeping(usable),
            lambda left, right: cosines(extremes(left, vectors), extremes(right, vectors)),
        )
        return {"embedding-extrema": Scores(values, signature=_signature(vectors))}


@dataclass(frozen=True, slots=True)
class EmbeddingGreedy:
    """Mean cosine of each word with its best match on the other side, averaged over both directions.

    `clamped` counts a negative best match as 0 and drops lines with a side of 0, as the original does.
    """

    clamped: bool = False

    @property
    def columns(self) -> tuple[Column, ...]:
        """One mean of cosines."""
        return (Column("embedding-greedy", low=-1.0),)

    @property
    def needs(self) -> frozenset[Need]:
        """Vectors and the target."""
        return frozenset({Need.VECTORS, Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a known word on both sides."""
        vectors = _vectors(corpus)
        usable = vectors.usable
        responses, target = corpus.responses.keeping(usable), corpus.target.keeping(usable)
        sides = best_matches(responses, target, vectors.normalised(), floor=0.0 if self.clamped else -np.inf)
        values = (sides[0] + sides[1]) / 2
        if self.clamped:
            values = _without_zero_sides(values, sides)
        signature = f"{_signature(vectors)}|clamped:{'yes' if self.clamped else 'no'}"
        return {"embedding-greedy": Scores(values, signature=signature)}


def _by_blocks(left: Texts, right: Texts, score: Callable[[Texts, Texts], Floats]) -> Floats:
    """Score pairs of lines in blocks, so that memory does not grow with the corpus."""
    ranges = line_blocks(left.lengths + right.lengths + 1, _BLOCK_WORDS)
    parts = [score(left.between(first, last), right.between(first, last)) for first, last in ranges]
    return np.concatenate(parts) if parts else np.zeros(0)


def _without_zero_sides(values: Floats, sides: tuple[Floats, Floats]) -> Floats:
    return np.where((sides[0] == 0) | (sides[1] == 0), np.nan, values)


def _vectors(corpus: Corpus) -> Vectors:
    if corpus.vectors is None:
        raise MetricError(f"needs {Need.VECTORS}")
    return corpus.vectors


def _weights(corpus: Corpus) -> Floats:
    """Return a/(a + p) for each word: the weight of smooth inverse frequency."""
    if corpus.training is None:
        raise MetricError(f"needs {Need.TRAIN_SOURCE}")
    return _FREQUENCY_WEIGHT / (_FREQUENCY_WEIGHT + corpus.training.probabilities)


def _signature(vectors: Vectors) -> str:
    return f"vectors:{vectors.name}|dim:{vectors.matrix.shape[1]}"
