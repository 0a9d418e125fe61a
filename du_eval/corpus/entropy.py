"""How surprising responses are under the word frequencies of the training data, in bits."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Floats, Ints
from du_eval.corpus.metric import Better, Corpus, MetricColumn, Need, Scores, require
from du_eval.corpus.ngrams import Training

_NAMES = {1: "unigram", 2: "bigram"}


def entropy_columns(order: int) -> tuple[MetricColumn, ...]:
    """Return the two columns of an order: bits a word (or pair), and bits an utterance."""
    name = _NAMES[order]
    return (
        MetricColumn(f"per-{name}-entropy", Better.NEITHER, high=inf),
        MetricColumn(f"utterance-{name}-entropy", Better.NEITHER, high=inf),
    )


class Entropy(Struct, frozen=True):
    """Cross-entropy of responses under a Witten-Bell model of the training data.

    Order 1 scores each word; order 2 scores each word given the one before it, backing off to order 1.
    Words outside the vocabulary share one class, so that nothing is left out.
    """

    order: int

    @property
    def columns(self) -> tuple[MetricColumn, ...]:
        """Bits a word, and bits an utterance."""
        return entropy_columns(self.order)

    needs = frozenset({Need.TRAINING})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a word (order 1) or a pair (order 2)."""
        training = require(corpus.training, Need.TRAINING)
        responses = corpus.map_words(corpus.responses)
        single = word_probabilities(training)
        if self.order == 1:
            bits, line_of = -np.log2(single[responses.ids]), responses.line_of
        else:
            pairs = training.code_pairs(responses)
            bits, line_of = -np.log2(pair_probabilities(training, single, pairs.codes)), pairs.line_of
        return by_line(self.columns, bits, line_of, len(responses))


def by_line(
    columns: tuple[MetricColumn, ...], bits: Floats, line_of: Ints, lines: int
) -> Mapping[str, Scores]:
    """Return the mean and the sum of the bits of each line; NaN for lines without any."""
    counts = np.bincount(line_of, minlength=lines)
    sums: Floats = np.bincount(line_of, weights=bits, minlength=lines).astype(np.float64)
    sums[counts == 0] = np.nan
    means = sums / np.maximum(1, counts)
    return {columns[0].name: Scores(means), columns[1].name: Scores(sums)}


def word_probabilities(training: Training) -> Floats:
    """Return the Witten-Bell probability of each word: unseen words share one more class."""
    counts = training.counts
    types = int(np.count_nonzero(counts))
    total = int(counts.sum())
    return (counts + types / (types + 1)) / (total + types)


def pair_probabilities(training: Training, single: Floats, codes: Ints) -> Floats:
    """Return the Witten-Bell probability of each coded pair's second word, given its first."""
    words = training.words
    firsts = training.pairs // words
    continuations = np.bincount(firsts, minlength=words)
    followed = np.bincount(firsts, weights=training.pair_counts, minlength=words)
    first, second = codes // words, codes % words
    mass = continuations[first]
    seen = training.pair_count(codes)
    # A first word that training never continues leaves everything to the single word.
    mass = np.where(mass == 0, 1, mass)
    return (seen + mass * single[second]) / (followed[first] + mass)


class OriginalEntropy(Entropy, frozen=True):
    """Entropy as dialog-eval has it: joint frequencies, unsmoothed; what training never saw is left out."""

    needs = frozenset({Need.TRAIN_SOURCE})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a word or pair which training has seen."""
        training = require(corpus.training, Need.TRAINING)
        responses = corpus.map_words(corpus.responses)
        if self.order == 1:
            counts, line_of = training.counts[responses.ids], responses.line_of
            total = training.counts.sum()
        else:
            pairs = training.code_pairs(responses)
            counts, line_of = training.pair_count(pairs.codes), pairs.line_of
            total = training.pair_counts.sum()
        seen = counts > 0
        bits = -np.log2(counts[seen] / total)
        return by_line(self.columns, bits, line_of[seen], len(responses))
