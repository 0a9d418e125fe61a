"""From the scores of lines to one number with its interval, and to its difference from a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, sqrt

import numpy as np
from msgspec.structs import replace

from du_eval.corpus.lexicon import Floats
from du_eval.corpus.metric import Better, MetricColumn, Scores
from du_eval.corpus.record import MetricNumber
from du_eval.corpus.settings import IntervalMethod, Settings, Uncertainty
from du_eval.statistics.difference import Difference, correct
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.paired_means import clustered_half_width
from du_eval.statistics.resampling import (
    Resampling,
    difference,
    percentile_interval,
    resample_means,
)
from du_eval.statistics.significance import adjust_p, step_down

Scored = Mapping[str, Scores]
KEPT_LINES = 50_000
_MOST_SWAPPED = 2000


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
    intervals = _bootstrap_intervals(present, scored, settings, sizes)
    differences = (
        _differences(present, scored, baseline, _resampling(settings.uncertainty, sizes))
        if baseline is not None
        else {}
    )
    found = []
    for column in present:
        scores = scored[column.name]
        deviation, half = _spread(scores, column, settings, sizes)
        interval = _around(scores.value, half)
        if (drawn := intervals.get(column.name)) is not None:
            interval, half = drawn, (drawn.high - drawn.low) / 2
        if not settings.mode.has_fixed_t:
            interval = _within(interval, column)
        signature = "|".join(part for part in (scores.signature, name_interval(settings)) if part)
        value = _summed_in_order(scores) if settings.mode.has_fixed_t else scores.value
        measurement = Measurement(value, scores.n, interval, signature, name_interval(settings))
        number = MetricNumber(column.name, measurement, str(column.better), deviation, half_width=half)
        apart = differences.get(column.name)
        if apart is not None:
            verdict = _judge(apart, column.better, settings.uncertainty.confidence)
            number = replace(
                number, difference=apart.value, spread=apart.interval, p=apart.p, verdict=verdict
            )
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
    draws = f":{uncertainty.resamples}:seed={uncertainty.seed}"
    return (
        f"interval:clustered-{uncertainty.method}:{uncertainty.confidence:g}"
        f"{draws if uncertainty.method is IntervalMethod.BOOTSTRAP else ''}"
    )


def _resampling(uncertainty: Uncertainty, sizes: Sequence[int]) -> Resampling:
    return Resampling(uncertainty.resamples, uncertainty.seed, uncertainty.confidence, tuple(sizes))


def _bootstrap_intervals(
    columns: Sequence[MetricColumn], scored: Scored, settings: Settings, sizes: Sequence[int]
) -> dict[str, Interval | None]:
    uncertainty = settings.uncertainty
    if settings.mode.has_fixed_t or uncertainty.method is not IntervalMethod.BOOTSTRAP:
        return {}
    usable = [column.name for column in columns if scored[column.name].n >= 2]
    if not usable:
        return {}
    means = resample_means(
        np.column_stack([scored[name].lines for name in usable]), _resampling(uncertainty, sizes)
    )
    found = {}
    for place, name in enumerate(usable):
        shift = _bias(scored[name])
        found[name] = percentile_interval(means[:, place] + shift, uncertainty.confidence)
    return found


def _bias(scores: Scores) -> float:
    """Return how far the score of the corpus lies above the mean of its pseudo-values."""
    return (scores.value or 0.0) - float(np.nanmean(scores.lines))


def _differences(
    columns: Sequence[MetricColumn], scored: Scored, baseline: Scored, plan: Resampling
) -> dict[str, Difference]:
    """Compare with the baseline on the lines that both have, by paired bootstrap and swaps of lines."""
    apart = {}
    for column in columns:
        mine, theirs = scored[column.name], baseline.get(column.name)
        if theirs is not None and len(mine.lines) == len(theirs.lines):
            lines = mine.lines - theirs.lines
            if np.count_nonzero(~np.isnan(lines)) >= 2:
                apart[column.name] = lines
    if not apart:
        return {}
    table = np.column_stack(list(apart.values()))
    means = resample_means(table, plan)
    found: dict[str, Difference] = {}
    for place, (name, lines) in enumerate(apart.items()):
        mean, known = float(np.nanmean(lines)), int(np.count_nonzero(~np.isnan(lines)))
        observed = _whole_difference(scored[name], baseline[name], mean)
        means[:, place] += observed - mean
        table[:, place] += observed - mean
        one = difference(observed, means[:, place], plan.confidence, known)
        assert one is not None, "two lines have a value"
        found[name] = one
    for (name, one), p in zip(found.items(), _adjust(table, means, plan), strict=True):
        largest = max(p, one.p)
        found[name] = replace(correct(one, largest, 1 - plan.confidence), p=largest)
    return found


def _adjust(table: Floats, means: Floats, plan: Resampling) -> list[float]:
    """Return p of each metric, corrected for their number: by swaps, or by the draws where lines are many."""
    sums = np.nan_to_num(table)
    if plan.sizes and sum(plan.sizes) == len(table):
        sums = np.add.reduceat(sums, np.concatenate([[0], np.cumsum(plan.sizes)[:-1]]), axis=0)
    if len(sums) <= _MOST_SWAPPED:
        return adjust_p([dict(enumerate(column)) for column in sums.T.tolist()], plan)
    centre = means.mean(axis=0)
    return step_down(centre, means - centre, means.std(axis=0), is_all=False)


def _whole_difference(mine: Scores, theirs: Scores, mean: float) -> float:
    if mine.whole is None or theirs.whole is None:
        return mean
    return mine.whole - theirs.whole
