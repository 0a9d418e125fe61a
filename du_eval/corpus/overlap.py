"""Words that response and target share, in any order (token F1) or in order (ROUGE-L)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from du_eval.corpus.lexicon import Floats, Ints, Texts
from du_eval.corpus.metric import Column, Corpus, Need, Scores
from du_eval.corpus.ngrams import clipped_matches


class TokenF1:
    """F1 of the words of a response against those of its target."""

    columns = (Column("token-f1"),)
    needs = frozenset({Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a target."""
        shared = clipped_matches(corpus.responses, corpus.target, 1)[:, 0]
        return {"token-f1": Scores(_f1(shared, corpus.responses, corpus.target))}


class RougeL:
    """F1 of the longest run of words, gaps allowed, that response and target have in common."""

    columns = (Column("rouge-l"),)
    needs = frozenset({Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a target."""
        left, right = _rows(corpus.responses), _rows(corpus.target)
        shared = np.array([common_length(a, b) for a, b in zip(left, right, strict=True)], np.int64)
        return {"rouge-l": Scores(_f1(shared, corpus.responses, corpus.target))}


def _f1(shared: Ints, responses: Texts, target: Texts) -> Floats:
    total = responses.lengths + target.lengths
    return np.where(target.lengths == 0, np.nan, 2 * shared / np.maximum(1, total))


def _rows(texts: Texts) -> list[list[int]]:
    ids, starts = texts.ids.tolist(), texts.starts.tolist()
    return [ids[first:last] for first, last in pairwise(starts)]


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the length of the longest common subsequence, with one bit for each word of the left side.

    This is the bit-parallel method of Crochemore et al. (2001): a zero bit marks a matched word.
    """
    places: dict[int, int] = {}
    bit = 1
    for word in left:
        places[word] = places.get(word, 0) | bit
        bit <<= 1
    mask = bit - 1
    open_ = mask
    for word in right:
        if matched := open_ & places.get(word, 0):
            open_ = ((open_ + matched) | (open_ - matched)) & mask
    return len(left) - open_.bit_count()
