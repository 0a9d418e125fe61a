"""How much responses resemble each other: BLEU of each response against all the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from du_eval.corpus.bleu import effective_bleu
from du_eval.corpus.bleu_smoothing import FIVE_ORDERS, NgramOverlap
from du_eval.corpus.lexicon import Ints, Texts
from du_eval.corpus.metric import Better, Column, Corpus, Need, Scores
from du_eval.corpus.ngrams import LineCounts, coded, line_counts


@dataclass(frozen=True, slots=True)
class SelfBleu:
    """Self-BLEU-4: low where responses differ; linear in the size of the corpus.

    Against all other responses, an n-gram is clipped at its highest count on any other line, which is known
    from the two highest counts that the n-gram has anywhere.
    """

    smoothing: str = "4"

    @property
    def columns(self) -> tuple[Column, ...]:
        """One BLEU."""
        return (Column("self-bleu", Better.LOWER),)

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing but the responses."""
        return frozenset()

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each response that is not empty, if there are at least two."""
        responses = corpus.responses
        values = np.full(len(responses), np.nan)
        filled = np.flatnonzero(responses.lengths)
        if len(filled) >= 2:
            overlap = overlap_with_others(responses.choosing(filled), corpus.words, self.smoothing)
            values[filled] = effective_bleu(overlap, self.smoothing)[3]
        return {"self-bleu": Scores(values, signature=f"smooth:{self.smoothing}|eff:yes")}


def overlap_with_others(texts: Texts, words: int, smoothing: str) -> NgramOverlap:
    """Match each line with all others at once; no line may be empty."""
    orders = 5 if smoothing in FIVE_ORDERS else 4
    matches = np.zeros((len(texts), orders), np.int64)
    for order in range(1, orders + 1):
        counts = line_counts(coded(texts, order, words), len(texts))
        if counts.types:
            shared = np.minimum(counts.counts, _highest_elsewhere(counts))
            matches[:, order - 1] = np.bincount(counts.line_of, shared, len(texts))
    return NgramOverlap(matches, texts.lengths, _closest_other(texts.lengths))


def _highest_elsewhere(counts: LineCounts) -> Ints:
    """Return for each n-gram and line the highest count of that n-gram on any other line."""
    sizes = np.diff(counts.firsts, append=len(counts.counts))
    first = np.maximum.reduceat(counts.counts, counts.firsts)
    is_first = counts.counts == np.repeat(first, sizes)
    holders = np.add.reduceat(is_first.astype(np.int64), counts.firsts)
    runners_up = np.maximum.reduceat(np.where(is_first, 0, counts.counts), counts.firsts)
    second = np.where(holders > 1, first, runners_up)
    return np.where(is_first, np.repeat(second, sizes), np.repeat(first, sizes))


def _closest_other(lengths: Ints) -> Ints:
    """Return for each line the length of another line that is closest to its own; the shorter on a tie."""
    known, places, many = np.unique(lengths, return_inverse=True, return_counts=True)
    if len(known) == 1:
        return lengths
    below = np.append(known[0] - known[-1], known[:-1])
    above = np.append(known[1:], 3 * known[-1])
    nearest = np.where(known - below <= above - known, below, above)
    nearest[0] = known[1]
    return np.where(many > 1, known, nearest)[places]
