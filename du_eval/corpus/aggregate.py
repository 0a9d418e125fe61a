"""From the scores of lines to one number with its interval, and to its difference from a baseline."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import isfinite, sqrt

import numpy as np
from msgspec.structs import replace

from du_eval.corpus.lexicon import Floats
from du_eval.corpus.metric import Better, MetricColumn, Scores
from du_eval.corpus.record import MetricNumber
from du_eval.corpus.settings import Settings, Uncertainty
from du_eval.statistics.difference import Difference, Pair, cluster_sums, correct
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.paired_means import METHOD, STUDENT, clustered_half_width, mean_difference
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.significance import SWAPS, adjust_together

Scored = Mapping[str, Scores]
KEPT_LINES = 50_000


def measure_columns(
    columns: Sequence[MetricColumn],
    scored: Scored,
    baseline: Scored | None,
    settings: Settings,
    sizes: Sequence[int] = (),
) -> list[tuple[MetricNumber, Floats | None]]:
    """Return the number of each column that has scores, in their order, and the scores of lines to keep.

    `sizes` are the numbers of lines of conversations, the unit of chance; without them, each line is one.
    """
    present = [column for column in columns if column.name in scored]
    differences = _differences(present, scored, baseline or {}, settings.uncertainty, sizes)
    found = []
    for column in present:
        scores = scored[column.name]
        deviation, half = _spread(scores, column, settings, sizes)
        interval = _around(scores.value, half)
        if not settings.mode.has_fixed_t:
            interval = _within(interval, column)
        signature = "|".join(part for part in (scores.signature, name_interval(settings)) if part)
        value = _summed_in_order(scores) if settings.mode.has_fixed_t else scores.value
        measurement = Measurement(value, scores.n, interval, signature, name_interval(settings))
        number = MetricNumber(column.name, measurement, str(column.better), deviation, half_width=half)
        apart = differences.get(column.name)
        if apart is not None:
            most = column.high - column.low
            verdict = _judge(apart, column.better, settings.uncertainty.confidence)
            spread = Interval(max(-most, apart.interval.low), min(most, apart.interval.high))
            number = replace(number, difference=apart.value, spread=spread, p=apart.p, verdict=verdict)
        found.append((number, _kept_lines(scores)))
    return found


def _judge(apart: Difference, better: Better, confidence: float) -> str:
    """Return what a difference to the baseline means, if it is more than chance would explain."""
    if apart.p >= 1 - confidence:
        return "no significant difference"
    if better is Better.NEITHER:
        return "different"
    return "better" if (apart.value > 0) == (better is Better.HIGHER) else "worse"


def _kept_lines(scores: Scores) -> Floats | None:
    """Return the scores of lines for later comparisons, moved so that they average to the score."""
    if scores.value is None or len(scores.lines) > KEPT_LINES:
        return None
    return scores.lines + _bias(scores)


def _spread(
    scores: Scores, column: MetricColumn, settings: Settings, sizes: Sequence[int]
) -> tuple[float | None, float | None]:
    """Return the standard deviation of the lines, and half the width of the interval of their mean."""
    known = scores.lines[~np.isnan(scores.lines)]
    if not len(known):
        return None, None
    if settings.mode.has_fixed_t:
        deviation = float(known.std())
        return deviation, settings.uncertainty.t_value * deviation / sqrt(len(known))
    if len(known) < 2:
        return None, None
    deviation = float(known.std(ddof=1))
    reach = column.high - column.low
    confidence = settings.uncertainty.confidence
    return deviation, clustered_half_width(
        scores.lines, sizes, confidence, reach if isfinite(reach) else None
    )


def _summed_in_order(scores: Scores) -> float:
    """Return the mean as a plain loop would add it up, so that even its last digits are the original's."""
    known = scores.lines[~np.isnan(scores.lines)]
    return float(np.cumsum(known)[-1] / len(known))


def _around(value: float | None, half: float | None) -> Interval | None:
    if value is None or half is None:
        return None
    return Interval(value - half, value + half)


def _within(interval: Interval | None, column: MetricColumn) -> Interval | None:
    """Return an interval without the part where the number cannot be."""
    if interval is None:
        return None
    return Interval(max(column.low, interval.low), min(column.high, interval.high))


def name_interval(settings: Settings) -> str:
    """Return how intervals are computed, as a part of a signature."""
    uncertainty = settings.uncertainty
    if settings.mode.has_fixed_t:
        return f"interval:t={uncertainty.t_value:g}"
    return f"interval:{STUDENT}:{uncertainty.confidence:g}"


def name_difference(settings: Settings) -> str:
    """Return how differences from the baseline are computed, as a part of a signature."""
    return f"difference:{METHOD}:{settings.uncertainty.confidence:g}" if settings.baseline else ""


def _bias(scores: Scores) -> float:
    """Return how far the score of the corpus lies above the mean of its pseudo-values."""
    return (scores.value or 0.0) - float(np.nanmean(scores.lines))


def _differences(
    columns: Sequence[MetricColumn],
    scored: Scored,
    baseline: Scored,
    uncertainty: Uncertainty,
    sizes: Sequence[int],
) -> dict[str, Difference]:
    """Compare with the baseline on the lines that both have; p is corrected for the number of metrics."""
    alpha, found = 1 - uncertainty.confidence, dict[str, Difference]()
    sums: list[dict[Hashable, float]] = []
    for column in columns:
        mine, theirs = scored[column.name], baseline.get(column.name)
        pairs = _pair_lines(mine, theirs, sizes) if theirs is not None else []
        one = mean_difference(pairs, alpha, uncertainty.seed) if len(pairs) > 1 else None
        if one is not None:
            found[column.name] = one
            sums.append({cluster: total for cluster, (total, _) in cluster_sums(pairs).items()})
    adjusted = adjust_together([*found.values()], sums, Resampling(SWAPS, uncertainty.seed))
    return {
        name: replace(correct(one, p, alpha), p=p)
        for (name, one), p in zip(found.items(), adjusted, strict=True)
    }


def _pair_lines(mine: Scores, theirs: Scores, sizes: Sequence[int]) -> list[Pair]:
    """Return the lines that both files have a value for, moved so that they average to the scores."""
    if len(mine.lines) != len(theirs.lines):
        return []
    known = ~np.isnan(mine.lines - theirs.lines)
    if not known.any():
        return []
    is_grouped = sizes and sum(sizes) == len(known)
    clusters = np.repeat(np.arange(len(sizes)), sizes) if is_grouped else np.arange(len(known))
    before, after = (one.lines[known] + _bias(one) for one in (theirs, mine))
    return list(map(Pair, clusters[known].tolist(), before.tolist(), after.tolist()))
