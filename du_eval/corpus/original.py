"""The 17 metrics as the original tool computes them, quirks included."""

from __future__ import annotations

from du_eval.corpus.bleu import OriginalBleu
from du_eval.corpus.divergence import OriginalDivergence
from du_eval.corpus.diversity import Length, OriginalDistinct
from du_eval.corpus.embedding import EmbeddingAverage, EmbeddingExtrema, EmbeddingGreedy
from du_eval.corpus.entropy import OriginalEntropy
from du_eval.corpus.metric import CorpusMetric
from du_eval.corpus.settings import MetricOptions


def metrics(options: MetricOptions) -> tuple[CorpusMetric, ...]:
    """Return the metrics in the manner of dialog-eval."""
    return (
        Length(),
        *(OriginalEntropy(order) for order in (1, 2)),
        *(OriginalDivergence(order) for order in (1, 2)),
        EmbeddingAverage(frequency_weights=True),
        EmbeddingExtrema(),
        EmbeddingGreedy(clamped=True),
        EmbeddingAverage(against_source=True, frequency_weights=True),
        *(OriginalDistinct(order) for order in (1, 2)),
        OriginalBleu(options.bleu_smoothing),
    )
