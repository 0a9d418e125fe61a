"""How varied the responses are: different words and phrases, different responses, repetition, length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import inf, log1p

import numpy as np
from msgspec import Struct

from du_eval.corpus.bleu import FIVE_ORDERS, NgramOverlap, effective_bleu
from du_eval.corpus.lexicon import Floats, Ints, Lexicon, Texts
from du_eval.corpus.metric import Better, Corpus, MetricColumn, Need, OrderedMetric, Scores, require
from du_eval.corpus.ngrams import LineCounts, Ngrams, code_ngrams, count_sorted, line_counts
from du_eval.statistics.jackknife import from_left_out, from_sums

_NO_NEEDS: frozenset[Need] = frozenset()


class Length:
    """The number of words of each response."""

    columns = (MetricColumn("length", Better.NEITHER, high=inf),)
    needs = _NO_NEEDS

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Count the words of each line; an empty line has 0."""
        return {"length": Scores(corpus.responses.lengths.astype(np.float64))}


class Distinct(OrderedMetric, frozen=True):
    """The share of different n-grams among all n-grams of the responses."""

    column = MetricColumn("distinct-{order}")
    needs = _NO_NEEDS

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus as a whole."""
        ngrams = code_ngrams(corpus.responses, self.order, corpus.words)
        return {self.columns[0].name: type_share(ngrams, len(corpus.responses), np.divide)}


class ExpectationAdjustedDistinct(OrderedMetric, frozen=True):
    """Distinct n-grams, divided by how many a random text of that size would have.

    Unlike distinct, it does not fall with the size of the corpus (Liu et al. 2022).
    """

    column = MetricColumn("ead-{order}", high=inf)
    needs = frozenset({Need.VOCABULARY})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus as a whole."""
        size = require(corpus.vocabulary_size, Need.VOCABULARY)
        possible = float(size) ** self.order
        ngrams = code_ngrams(corpus.responses, self.order, corpus.words)

        def adjusted(types: Floats, total: Floats) -> Floats:
            return types / (possible * -np.expm1(total * log1p(-1 / possible)))

        scores = type_share(ngrams, len(corpus.responses), adjusted)
        return {self.columns[0].name: Scores(scores.lines, scores.whole, f"vocabulary:{size}")}


class UniqueResponses:
    """The share of different responses among all responses."""

    columns = (MetricColumn("unique-responses"),)
    needs = _NO_NEEDS

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus as a whole; empty responses are equal to each other."""
        responses = corpus.responses
        ends = responses.starts.tolist()
        kinds = Lexicon()
        raw = responses.ids.tobytes()
        size = responses.ids.itemsize
        codes = [kinds.number(raw[a * size : b * size].hex()) for a, b in pairwise(ends)]
        ngrams = Ngrams(np.array(codes, np.int64), np.arange(len(codes)))
        return {"unique-responses": type_share(ngrams, len(codes), np.divide)}


class Repetition(OrderedMetric, frozen=True):
    """The share of n-grams of a response that it has said already."""

    column = MetricColumn("repetition-{order}", Better.LOWER)
    needs = _NO_NEEDS

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that is long enough."""
        lines = len(corpus.responses)
        ngrams = code_ngrams(corpus.responses, self.order, corpus.words)
        total = np.bincount(ngrams.line_of, minlength=lines)
        different = np.bincount(line_counts(ngrams, lines).line_of, minlength=lines)
        values = np.where(total == 0, np.nan, 1 - different / np.maximum(1, total))
        return {self.columns[0].name: Scores(values)}


class UnknownWords:
    """The share of response words that are outside the vocabulary."""

    columns = (MetricColumn("unknown-word-rate", Better.LOWER),)
    needs = frozenset({Need.VOCABULARY})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus as a whole."""
        responses, known = corpus.responses, require(corpus.vocabulary, Need.VOCABULARY)
        unknown = np.bincount(responses.line_of, ~known[responses.ids], len(responses))
        rows = np.column_stack([unknown, responses.lengths.astype(np.float64)])
        rows[responses.lengths == 0] = np.nan
        return {"unknown-word-rate": ratio_of_sums(rows)}


class OriginalDistinct(Distinct, frozen=True):
    """Distinct as dialog-eval has it: after unknown words have become one word, over the whole file."""

    needs = frozenset({Need.VOCABULARY})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Give one value for the file."""
        responses = corpus.map_words((corpus.whole or corpus.dialogues).responses)
        codes = code_ngrams(responses, self.order, corpus.words).codes
        share = len(count_sorted(codes)[0]) / len(codes) if len(codes) else np.nan
        return {self.columns[0].name: Scores(np.array([share]))}


def type_share(ngrams: Ngrams, lines: int, share: Callable[[Floats, Floats], Floats]) -> Scores:
    """Return a function of the numbers of types and tokens, with what each line adds to it.

    A line adds the types that occur on no other line, so leaving out each line in turn takes one pass.
    """
    total = np.bincount(ngrams.line_of, minlength=lines)
    present = total > 0
    if not present.any():
        return Scores(np.full(lines, np.nan))
    types, own = _types_and_own(ngrams, lines)
    everything = total.sum().astype(np.float64)
    value = float(share(np.array([float(types)]), np.array([everything]))[0])
    pseudo = np.full(lines, np.nan)
    if np.count_nonzero(present) == 1:
        pseudo[present] = value
    else:
        without = share((types - own[present]).astype(np.float64), everything - total[present])
        pseudo[present] = from_left_out(value, without)
    return Scores(pseudo, value)


def _types_and_own(ngrams: Ngrams, lines: int) -> tuple[int, Ints]:
    """Return the number of types, and by line how many of them occur on that line only."""
    counts = line_counts(ngrams, lines)
    rows = np.diff(counts.firsts, append=len(counts.line_of))
    return counts.types, np.bincount(counts.line_of[counts.firsts[rows == 1]], minlength=lines)


def ratio_of_sums(rows: Floats) -> Scores:
    """Return the sum of the first column over that of the second, leaving out lines that are NaN."""
    known = ~np.isnan(rows[:, 1])
    pseudo = np.full(len(rows), np.nan)
    if not known.any():
        return Scores(pseudo)
    value, pseudo[known] = from_sums(rows[known], lambda sums: float(sums[0] / sums[1]))
    return Scores(pseudo, value)


class SelfBleu(Struct, frozen=True):
    """Self-BLEU-4: low where responses differ; linear in the size of the corpus.

    Against all other responses, an n-gram is clipped at its highest count on any other line, which is known
    from the two highest counts that the n-gram has anywhere.
    """

    smoothing: str = "4"

    @property
    def columns(self) -> tuple[MetricColumn, ...]:
        """One BLEU."""
        return (MetricColumn("self-bleu", Better.LOWER),)

    needs = _NO_NEEDS

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each response that is not empty, if there are at least two."""
        responses = corpus.responses
        values = np.full(len(responses), np.nan)
        filled = np.flatnonzero(responses.lengths)
        if len(filled) >= 2:
            overlap = overlap_with_others(responses.choose_lines(filled), corpus.words, self.smoothing)
            values[filled] = effective_bleu(overlap, self.smoothing)[3]
        return {"self-bleu": Scores(values, signature=f"smooth:{self.smoothing}|eff:yes")}


def overlap_with_others(texts: Texts, words: int, smoothing: str) -> NgramOverlap:
    """Match each line with all others at once; no line may be empty."""
    orders = 5 if smoothing in FIVE_ORDERS else 4
    matches = np.zeros((len(texts), orders), np.int64)
    for order in range(1, orders + 1):
        counts = line_counts(code_ngrams(texts, order, words), len(texts))
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
