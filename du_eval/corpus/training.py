"""Word and pair frequencies of the training data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from du_eval.corpus.lexicon import Floats, Ints, Texts
from du_eval.corpus.ngrams import Ngrams, pair_codes


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """How often each word and each pair of neighbours occurs; pairs are coded first * words + second."""

    counts: Ints
    pairs: Ints
    pair_counts: Ints

    @property
    def words(self) -> int:
        """How many words are numbered, whether they occur in training or not."""
        return len(self.counts)

    def pair_count(self, codes: Ints) -> Ints:
        """Return how often each of the coded pairs occurs in training."""
        if len(self.pairs) == 0:
            return np.zeros(len(codes), np.int64)
        places = np.searchsorted(self.pairs, codes)
        places[places == len(self.pairs)] = 0
        return np.where(self.pairs[places] == codes, self.pair_counts[places], 0)

    @property
    def probabilities(self) -> Floats:
        """The relative frequency of each word."""
        return self.counts / max(1, int(self.counts.sum()))

    def pairs_of(self, texts: Texts) -> Ngrams:
        """Return the pairs of a text in the coding of these counts."""
        return pair_codes(texts, self.words)


def counted(texts: Texts, words: int) -> Training:
    """Count the words and pairs of a text."""
    pairs, pair_counts = sorted_counts(pair_codes(texts, words).codes)
    return Training(np.bincount(texts.ids, minlength=words), pairs, pair_counts)


def sorted_counts(codes: Ints) -> tuple[Ints, Ints]:
    """Return the different codes in order, and how often each occurs."""
    ordered = np.sort(codes)
    firsts = np.flatnonzero(np.diff(ordered, prepend=-1))
    return ordered[firsts], np.diff(firsts, append=len(ordered))
