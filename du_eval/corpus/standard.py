"""The metrics by their correct definitions."""

from __future__ import annotations

from du_eval.corpus.bleu import SentenceBleu
from du_eval.corpus.divergence import JensenShannon, KullbackLeibler
from du_eval.corpus.diversity import (
    Distinct,
    ExpectationAdjustedDistinct,
    Length,
    Repetition,
    SelfBleu,
    UniqueResponses,
    UnknownWords,
)
from du_eval.corpus.embedding import EmbeddingAverage, EmbeddingExtrema, EmbeddingGreedy
from du_eval.corpus.entropy import Entropy
from du_eval.corpus.metric import CorpusMetric
from du_eval.corpus.models import Mauve, Perplexity, TokenSimilarity
from du_eval.corpus.overlap import ChrF, CorpusBleu, RougeL, TokenF1
from du_eval.corpus.settings import MetricOptions


def metrics(options: MetricOptions) -> tuple[CorpusMetric, ...]:
    """Return the 17 classic metrics and those that people ask for today."""
    return (
        Length(),
        *(Entropy(order) for order in (1, 2)),
        *(KullbackLeibler(order, options.kl_added) for order in (1, 2)),
        EmbeddingAverage(),
        EmbeddingExtrema(),
        EmbeddingGreedy(),
        EmbeddingAverage(against_source=True),
        *(Distinct(order) for order in (1, 2, 3, 4)),
        SentenceBleu(options.bleu_smoothing),
        *(ExpectationAdjustedDistinct(order) for order in (1, 2)),
        *(JensenShannon(order) for order in (1, 2)),
        TokenF1(),
        RougeL(),
        CorpusBleu(),
        ChrF(),
        SelfBleu(options.bleu_smoothing),
        UniqueResponses(),
        UnknownWords(),
        *(Repetition(order) for order in (2, 4)),
        TokenSimilarity(options.judge),
        Mauve(options.judge),
        Perplexity(options.causal_model),
    )
