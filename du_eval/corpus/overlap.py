"""What responses share with their targets: words (token F1, ROUGE-L), and BLEU and chrF by sacrebleu."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from du_eval.corpus.lexicon import Floats, Ints, Texts
from du_eval.corpus.metric import Corpus, MetricColumn, Need, Scores
from du_eval.corpus.ngrams import count_clipped_matches
from du_eval.errors import MissingExtraError
from du_eval.statistics.jackknife import from_sums
from du_eval.text.words import common_length

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric


class TokenF1:
    """F1 of the words of a response against those of its target."""

    columns = (MetricColumn("token-f1"),)
    needs = frozenset({Need.TARGET})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score each line that has a target."""
        shared = count_clipped_matches(corpus.responses, corpus.target, 1)[:, 0]
        return {"token-f1": Scores(_f1(shared, corpus.responses, corpus.target))}


class RougeL:
    """F1 of the longest run of words, gaps allowed, that response and target have in common."""

    columns = (MetricColumn("rouge-l"),)
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


_BLOCK_LINES = 2000


class CorpusBleu:
    """BLEU of the corpus as a whole, 0 to 100."""

    columns = (MetricColumn("corpus-bleu", high=100.0),)
    needs = frozenset({Need.TARGET, Need.TEXT})
    metric = "BLEU"

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus with sacrebleu's defaults, its tokenisation among them."""
        try:
            from sacrebleu import metrics  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("sacrebleu", "corpus") from error
        return {self.columns[0].name: _scored(getattr(metrics, self.metric)(), corpus)}


class ChrF(CorpusBleu):
    """F-score of character n-grams of the corpus as a whole, 0 to 100."""

    columns = (MetricColumn("chrf", high=100.0),)
    metric = "CHRF"


def _scored(metric: Metric, corpus: Corpus) -> Scores:
    """Score a corpus, and find its spread from the counts of each line, of which the score is a function."""
    if not len(corpus.responses):
        return Scores(np.zeros(0))
    rows = np.concatenate(list(_line_counts(metric, corpus)))

    def score(sums: Floats) -> float:
        return float(metric._compute_score_from_stats(sums.tolist()).score)

    value, pseudo = from_sums(rows, score)
    signature = str(metric.get_signature()).replace(" ", "")
    return Scores(pseudo, value, f"sacrebleu|{signature}")


def _line_counts(metric: Metric, corpus: Corpus) -> Iterator[Floats]:
    """Yield the counts of each line, in blocks, since sacrebleu holds the n-grams of all lines at once."""
    for first in range(0, len(corpus.responses), _BLOCK_LINES):
        block = slice(first, first + _BLOCK_LINES)
        responses, target = list(corpus.responses.lines[block]), list(corpus.target.lines[block])
        yield np.array(metric._extract_corpus_statistics(responses, [target]), np.float64)
