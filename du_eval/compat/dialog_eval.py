"""The manner of dialog-eval: its 17 metrics, and how it reads and counts, quirks included."""

from __future__ import annotations

from pathlib import PurePath

from du_eval.corpus.bleu import OriginalBleu
from du_eval.corpus.divergence import OriginalDivergence
from du_eval.corpus.diversity import Length, OriginalDistinct
from du_eval.corpus.embedding import EmbeddingAverage, EmbeddingExtrema, EmbeddingGreedy
from du_eval.corpus.entropy import OriginalEntropy
from du_eval.corpus.metric import CorpusMetric
from du_eval.corpus.record import MetricNumber, MetricsRun
from du_eval.corpus.settings import Definitions, MetricOptions
from du_eval.trust.terminal import neutralise

DIALOG_EVAL = Definitions(
    name="dialog-eval",
    metrics="du_eval.compat.dialog_eval:metrics",
    keeps_mark=True,
    cuts_to_shortest=True,
    trains_on_targets=False,
    knows_words_of_vectors=True,
    has_fixed_t=True,
)


def metrics(options: MetricOptions) -> tuple[CorpusMetric, ...]:
    """Return the metrics as the original computes them."""
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


def render_original(run: MetricsRun) -> str:
    """Return the original's `metrics.txt`: a row of names, then `mean,deviation,half width` for each file."""
    names = run.extra.computed if run.extra else {}
    lines = [" ".join(["filename", *names])]
    for file in run.extra.files if run.extra else ():
        cells = "".join(f"{_show_number(file.number(name))} " for name in names)
        lines.append(f"{PurePath(file.name).name} {cells}")
    return "".join(f"{neutralise(line)}\n" for line in lines)


def _show_number(one: MetricNumber | None) -> str:
    if one is None or one.measured.value is None:
        return "nan,nan,nan"
    deviation = "0" if one.name.startswith("distinct-") and not one.deviation else repr(one.deviation)
    numbers = (repr(one.measured.value), deviation, repr(one.half_width))
    return ",".join("nan" if text == "None" else text for text in numbers)
