"""Sentence BLEU of each line against its target, orders 1 to 4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from du_eval.corpus.bleu_smoothing import FIVE_ORDERS, SMOOTHINGS, NgramOverlap
from du_eval.corpus.lexicon import Floats
from du_eval.corpus.metric import Column, Corpus, MetricError, Need, Scores
from du_eval.corpus.ngrams import clipped_matches

ORDERS = (1, 2, 3, 4)
_THIRD_OF_THE_ORIGINAL = 0.33


@dataclass(frozen=True, slots=True)
class SentenceBleu:
    """BLEU-1 to BLEU-4 of each line; orders that a short response cannot have are left out."""

    smoothing: str = "4"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The four orders."""
        return tuple(Column(f"bleu-{order}") for order in ORDERS)

    @property
    def needs(self) -> frozenset[Need]:
        """The reference."""
        return frozenset({Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a reference."""
        overlap = overlap_with_target(corpus, self.smoothing)
        signature = f"smooth:{self.smoothing}|eff:yes"
        undefined = overlap.reference_lengths == 0
        scores = {}
        for column, values in zip(self.columns, effective_bleu(overlap, self.smoothing), strict=True):
            scores[column.name] = Scores(np.where(undefined, np.nan, values), signature=signature)
        return scores


@dataclass(frozen=True, slots=True)
class OriginalBleu(SentenceBleu):
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
            values = combined(precisions, np.broadcast_to(weights, precisions.shape), overlap)
            values = np.where(undefined, 0.0, values)
            scores[column.name] = Scores(values, signature=f"smooth:{self.smoothing}|eff:no")
        return scores


def overlap_with_target(corpus: Corpus, smoothing: str) -> NgramOverlap:
    """Match the n-grams of the responses with those of the targets."""
    responses, target = corpus.responses, corpus.target
    orders = 5 if smoothing in FIVE_ORDERS else 4
    return NgramOverlap(clipped_matches(responses, target, orders), responses.lengths, target.lengths)


def effective_bleu(overlap: NgramOverlap, smoothing: str) -> list[Floats]:
    """Return BLEU-1 to BLEU-4 with equal weights on the orders that the response is long enough for."""
    precisions = SMOOTHINGS[smoothing](overlap)
    found = []
    for order in ORDERS:
        effective = np.clip(overlap.response_lengths, 1, order)[:, None]
        weights = np.where(np.arange(4) < effective, 1 / effective, 0.0)
        found.append(combined(precisions, weights, overlap))
    return found


def combined(precisions: Floats, weights: Floats, overlap: NgramOverlap) -> Floats:
    """Return the weighted geometric mean of the positive precisions, times the brevity penalty."""
    positive = precisions > 0
    logs = np.log(np.where(positive, precisions, 1))
    logs[np.isnan(precisions)] = np.nan
    lengths = np.maximum(1, overlap.response_lengths)
    penalty = np.exp(np.minimum(0, 1 - overlap.reference_lengths / lengths))
    values = penalty * np.exp((weights * logs).sum(axis=1))
    return np.where(overlap.matches[:, 0] > 0, values, 0.0)
