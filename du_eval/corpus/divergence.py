"""How far the distribution of words in the responses is from that in the targets."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, log

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Floats, Ints, Texts
from du_eval.corpus.metric import Better, Corpus, MetricColumn, Need, OrderedMetric, Scores, require
from du_eval.corpus.ngrams import Ngrams, code_ngrams, count_sorted
from du_eval.statistics.jackknife import from_derivatives


class _Shares(Struct, frozen=True, eq=False):
    """Counts of every type of both sides, and the type and line of every place."""

    responses: Ngrams
    target: Ngrams
    response_counts: Ints
    target_counts: Ints


def _shares(corpus: Corpus, order: int) -> _Shares | None:
    """Count both sides over the union of their types; None where a side has none."""
    responses = code_ngrams(corpus.responses, order, corpus.words)
    target = code_ngrams(corpus.target, order, corpus.words)
    if not len(responses.codes) or not len(target.codes):
        return None
    types, places = np.unique(np.concatenate([responses.codes, target.codes]), return_inverse=True)
    left, right = places[: len(responses.codes)], places[len(responses.codes) :]
    return _Shares(
        Ngrams(left, responses.line_of),
        Ngrams(right, target.line_of),
        np.bincount(left, minlength=len(types)),
        np.bincount(right, minlength=len(types)),
    )


class KullbackLeibler(OrderedMetric, frozen=True):
    """The extra bits a type costs when targets are coded by the distribution of the responses.

    Both distributions run over all types of either side, with `added` counts on each, so that a word that
    responses never use costs much instead of nothing.
    """

    added: float = 0.5

    column = MetricColumn("{word}-kl-div", Better.LOWER, high=inf)
    needs = frozenset({Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus as a whole."""
        name, signature = self.columns[0].name, f"add:{self.added:g}"
        shares = _shares(corpus, self.order)
        if shares is None:
            return {name: Scores(np.full(len(corpus.responses), np.nan), signature=signature)}
        expected = shares.target_counts + self.added
        modelled = shares.response_counts + self.added
        p, q = expected / expected.sum(), modelled / modelled.sum()
        bits = np.log2(p / q)
        value = float((p * bits).sum())
        by_target = (bits - value) / expected.sum()
        by_response = (1 - p / q) / (log(2) * modelled.sum())
        derivatives = _on_lines(shares.target, by_target, len(corpus.responses))
        derivatives += _on_lines(shares.responses, by_response, len(corpus.responses))
        return {name: Scores(from_derivatives(value, derivatives), value, signature)}


class JensenShannon(OrderedMetric, frozen=True):
    """The mean distance of both distributions from their middle: 0 if equal, 1 if they share nothing."""

    column = MetricColumn("{word}-js-div", Better.LOWER)
    needs = frozenset({Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus as a whole."""
        name = self.columns[0].name
        shares = _shares(corpus, self.order)
        if shares is None:
            return {name: Scores(np.full(len(corpus.responses), np.nan))}
        p, q = (counts / counts.sum() for counts in (shares.target_counts, shares.response_counts))
        parts = [_half(p, (p + q) / 2), _half(q, (p + q) / 2)]
        value = max(0.0, float((p * parts[0]).sum() + (q * parts[1]).sum()))
        derivatives = np.zeros(len(corpus.responses))
        sides = ((shares.target, p, parts[0]), (shares.responses, q, parts[1]))
        for side, distribution, part in sides:
            slope = (part - (distribution * part).sum()) / len(side.codes)
            derivatives += _on_lines(side, slope, len(derivatives))
        return {name: Scores(from_derivatives(value, derivatives), value)}


def _half(distribution: Floats, middle: Floats) -> Floats:
    """Return half the log ratio of a distribution to the middle, 0 where it has no mass."""
    present = distribution > 0
    ratio = np.where(present, distribution, 1) / np.where(present, middle, 1)
    return np.where(present, 0.5 * np.log2(ratio), 0)


def _on_lines(ngrams: Ngrams, slopes: Floats, lines: int) -> Floats:
    return np.bincount(ngrams.line_of, slopes[ngrams.codes], lines).astype(np.float64)


class OriginalDivergence(OrderedMetric, frozen=True):
    """The log ratio that dialog-eval calls KL divergence: over shared types, by line, then over lines."""

    column = MetricColumn("{word}-kl-div", Better.LOWER, low=-inf, high=inf)
    needs = frozenset({Need.TARGET, Need.VOCABULARY})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each target line that has a shared type; whole files give the distributions."""
        whole = corpus.whole or corpus.dialogues
        types, ratios = self._ratios(corpus, whole.responses, require(whole.target, Need.TARGET))
        target = corpus.target
        places = self._codes(corpus, target)
        firsts = target.ids if self.order == 1 else target.ids[_first_places(target)]
        found = np.searchsorted(types, places.codes)
        is_shared = np.append(types, -1)[found] == places.codes
        scored = corpus.is_vocabulary_word[firsts] & is_shared
        bits = ratios[found[scored]]
        counts = np.bincount(places.line_of[scored], minlength=len(target))
        sums = np.bincount(places.line_of[scored], weights=bits, minlength=len(target))
        values = np.where(counts == 0, np.nan, sums / np.maximum(1, counts))
        return {self.columns[0].name: Scores(values)}

    def _codes(self, corpus: Corpus, texts: Texts) -> Ngrams:
        return code_ngrams(corpus.map_words(texts), self.order, corpus.words)

    def _ratios(self, corpus: Corpus, responses: Texts, target: Texts) -> tuple[Ints, Floats]:
        """Return the types that both sides have, and the log ratio of their renormalised shares."""
        modelled, model_counts = count_sorted(self._codes(corpus, responses).codes)
        expected, expected_counts = count_sorted(self._codes(corpus, target).codes)
        types, left, right = np.intersect1d(expected, modelled, assume_unique=True, return_indices=True)
        p, q = expected_counts[left], model_counts[right]
        return types, np.log2((p / max(1, p.sum())) / (q / max(1, q.sum())))


def _first_places(texts: Texts) -> Ints:
    ends = np.repeat(texts.starts[1:], texts.lengths)
    return np.flatnonzero(ends - np.arange(len(texts.ids)) >= 2)
