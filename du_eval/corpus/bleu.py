"""Sentence BLEU of each line against its target, orders 1 to 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Flags, Floats, Ints
from du_eval.corpus.metric import Corpus, MetricColumn, MetricError, Need, Scores
from du_eval.corpus.ngrams import count_clipped_matches

_EPSILON = 0.1
_ALPHA = 5
_K = 5
_SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


class NgramOverlap(Struct, frozen=True, eq=False):
    """By line: the matched n-grams of orders 1 to 4 (5 where a method asks), and the words on both sides."""

    matches: Ints
    response_lengths: Ints
    reference_lengths: Ints

    @property
    def possible(self) -> Ints:
        """The number of n-grams of each response, at least 1 as in the usual definition."""
        possible: Ints = self.response_lengths[:, None] - np.arange(self.matches.shape[1])
        return np.maximum(possible, 1)

    @property
    def precisions(self) -> Floats:
        """The share of n-grams that match."""
        return self.matches / self.possible


Smoothing = Callable[[NgramOverlap], Floats]


def _zero_rank(overlap: NgramOverlap) -> tuple[Flags, Ints]:
    """Return where orders 1 to 4 match nothing, and the how-manieth such order of its line each is."""
    empty = overlap.matches[:, :4] == 0
    return empty, np.cumsum(empty, axis=1)


def none(overlap: NgramOverlap) -> Floats:
    """Smooth by method 0: an order without matches gets the smallest positive number."""
    precisions = overlap.precisions[:, :4]
    return np.where(overlap.matches[:, :4] == 0, _SMALLEST_NORMAL, precisions)


def epsilon(overlap: NgramOverlap) -> Floats:
    """Smooth by method 1: an order without matches counts 0.1 of a match."""
    matches = overlap.matches[:, :4]
    counted: Floats = np.where(matches == 0, _EPSILON, matches)
    return counted / overlap.possible[:, :4]


def add_one(overlap: NgramOverlap) -> Floats:
    """Smooth by method 2: one more match and one more n-gram for orders above 1."""
    more = np.array([0, 1, 1, 1])
    matches: Ints = overlap.matches[:, :4] + more
    possible: Ints = overlap.possible[:, :4] + more
    return matches / possible


def smooth_by_halving(overlap: NgramOverlap) -> Floats:
    """Smooth by method 3: 1/2, 1/4, … of a match for the first, second, … order without matches."""
    empty, rank = _zero_rank(overlap)
    matches = np.where(empty, 0.5**rank, overlap.matches[:, :4])
    return matches / overlap.possible[:, :4]


def smooth_by_length(overlap: NgramOverlap) -> Floats:
    """Smooth by method 4: as method 3, scaled by ln(length)/5; one-word responses keep 0."""
    empty, rank = _zero_rank(overlap)
    lengths = np.maximum(1, overlap.response_lengths)[:, None]
    matches = np.where(empty, np.log(lengths) * 0.5**rank / _K, overlap.matches[:, :4])
    return matches / overlap.possible[:, :4]


def length_scaled_2019(overlap: NgramOverlap) -> Floats:
    """Smooth by method 4 of 2019: 1/(order - 1 + 5/ln(length)); one-word responses are undefined."""
    lengths = np.maximum(1, overlap.response_lengths)[:, None]
    with np.errstate(divide="ignore"):
        smoothed = 1 / (np.arange(4) + _K / np.log(lengths))
    values = np.where(overlap.matches[:, :4] == 0, smoothed, overlap.precisions[:, :4])
    values[overlap.response_lengths == 1] = np.nan
    return values


def smooth_by_averaging(overlap: NgramOverlap) -> Floats:
    """Smooth by method 5: each order is averaged with its two neighbours; the result may exceed 1."""
    return _averaged(overlap.precisions[:, :4], overlap.precisions[:, 4])


def smooth_by_length_and_averaging(overlap: NgramOverlap) -> Floats:
    """Smooth by method 7: method 4, then method 5."""
    return _averaged(smooth_by_length(overlap), overlap.precisions[:, 4])


def _averaged(precisions: Floats, fifth: Floats) -> Floats:
    following = np.column_stack([precisions[:, 1:], fifth])
    smoothed = np.empty_like(precisions)
    before = precisions[:, 0] + 1
    for order in range(4):
        before = smoothed[:, order] = (before + precisions[:, order] + following[:, order]) / 3
    return smoothed


def smooth_by_interpolation(overlap: NgramOverlap) -> Floats:
    """Smooth by method 6: orders 3 and 4 follow the trend of the lower ones; NaN without trigrams."""
    values = overlap.precisions[:, :4].copy()
    counts = np.maximum(0, overlap.response_lengths[:, None] - np.arange(4))
    undefined = overlap.matches[:, 2] == 0
    for order in (2, 3):
        below = np.where(values[:, order - 2] == 0, 1, values[:, order - 2])
        prior = np.where(values[:, order - 2] == 0, 0, values[:, order - 1] ** 2 / below)
        values[:, order] = (overlap.matches[:, order] + _ALPHA * prior) / (counts[:, order] + _ALPHA)
    values[undefined] = np.nan
    return values


SMOOTHINGS: dict[str, Smoothing] = {
    "0": none,
    "1": epsilon,
    "2": add_one,
    "3": smooth_by_halving,
    "4": smooth_by_length,
    "5": smooth_by_averaging,
    "6": smooth_by_interpolation,
    "7": smooth_by_length_and_averaging,
    "nltk-2019": length_scaled_2019,
}
FIVE_ORDERS = frozenset({"5", "7"})
"""The methods that look at 5-grams as well."""


ORDERS = (1, 2, 3, 4)
_THIRD_OF_THE_ORIGINAL = 0.33


class SentenceBleu(Struct, frozen=True):
    """BLEU-1 to BLEU-4 of each line; orders that a short response cannot have are left out."""

    smoothing: str = "4"

    columns = tuple(MetricColumn(f"bleu-{order}") for order in ORDERS)
    needs = frozenset({Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a reference."""
        overlap = overlap_with_target(corpus, self.smoothing)
        signature = f"smooth:{self.smoothing}|eff:yes"
        undefined = overlap.reference_lengths == 0
        scores = {}
        for column, values in zip(self.columns, effective_bleu(overlap, self.smoothing), strict=True):
            scores[column.name] = Scores(np.where(undefined, np.nan, values), signature=signature)
        return scores


class OriginalBleu(SentenceBleu, frozen=True):
    """BLEU as dialog-eval has it: all four orders always, weights of 0.33 for BLEU-3, empty lines score 0."""

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line, or refuse where the original would stop."""
        overlap = overlap_with_target(corpus, self.smoothing)
        precisions = SMOOTHINGS[self.smoothing](overlap)
        scored = overlap.matches[:, 0] > 0
        undefined = np.isnan(precisions).any(axis=1)
        if self.smoothing == "6" and (scored & undefined).any():
            line = int(np.flatnonzero(scored & undefined)[0]) + 1
            raise MetricError(f"smoothing method 6 is undefined on line {line}, where no trigram matches")
        scores = {}
        for order, column in zip(ORDERS, self.columns, strict=True):
            share = _THIRD_OF_THE_ORIGINAL if order == 3 else 1 / order
            weights = np.where(np.arange(4) < order, share, 0.0)
            values = combine_precisions(precisions, np.broadcast_to(weights, precisions.shape), overlap)
            values = np.where(undefined, 0.0, values)
            scores[column.name] = Scores(values, signature=f"smooth:{self.smoothing}|eff:no")
        return scores


def overlap_with_target(corpus: Corpus, smoothing: str) -> NgramOverlap:
    """Match the n-grams of the responses with those of the targets."""
    responses, target = corpus.responses, corpus.target
    orders = 5 if smoothing in FIVE_ORDERS else 4
    return NgramOverlap(count_clipped_matches(responses, target, orders), responses.lengths, target.lengths)


def effective_bleu(overlap: NgramOverlap, smoothing: str) -> list[Floats]:
    """Return BLEU-1 to BLEU-4 with equal weights on the orders that the response is long enough for."""
    precisions = SMOOTHINGS[smoothing](overlap)
    found = []
    for order in ORDERS:
        effective = np.clip(overlap.response_lengths, 1, order)[:, None]
        weights = np.where(np.arange(4) < effective, 1 / effective, 0.0)
        found.append(combine_precisions(precisions, weights, overlap))
    return found


def combine_precisions(precisions: Floats, weights: Floats, overlap: NgramOverlap) -> Floats:
    """Return the weighted geometric mean of the positive precisions, times the brevity penalty."""
    positive = precisions > 0
    logs = np.log(np.where(positive, precisions, 1))
    logs[np.isnan(precisions)] = np.nan
    lengths = np.maximum(1, overlap.response_lengths)
    penalty = np.exp(np.minimum(0, 1 - overlap.reference_lengths / lengths))
    values = penalty * np.exp((weights * logs).sum(axis=1))
    return np.where(overlap.matches[:, 0] > 0, values, 0.0)
