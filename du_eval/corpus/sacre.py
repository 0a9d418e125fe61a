"""Corpus BLEU and chrF by sacrebleu, with its own signatures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from du_eval.corpus.lexicon import Floats
from du_eval.corpus.metric import Column, Corpus, Need, Scores
from du_eval.errors import MissingExtraError
from du_eval.statistics.jackknife import from_sums

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

_BLOCK_LINES = 2000


class CorpusBleu:
    """BLEU of the corpus as a whole, 0 to 100."""

    columns = (Column("corpus-bleu", high=100.0),)
    needs = frozenset({Need.TARGET, Need.TEXT})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus with sacrebleu's default tokenisation."""
        try:
            from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("sacrebleu", "corpus") from error
        return {"corpus-bleu": _scored(BLEU(), corpus)}


class ChrF:
    """F-score of character n-grams of the corpus as a whole, 0 to 100."""

    columns = (Column("chrf", high=100.0),)
    needs = frozenset({Need.TARGET, Need.TEXT})

    def score(self, corpus: Corpus) -> Mapping[str, Scores]:
        """Score the corpus with sacrebleu's defaults."""
        try:
            from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("sacrebleu", "corpus") from error
        return {"chrf": _scored(CHRF(), corpus)}


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
