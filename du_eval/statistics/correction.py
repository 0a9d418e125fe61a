"""Rates corrected for the mistakes of the judge, from verdicts on everything and labels on some of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, sqrt
from random import Random

from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.quantiles import normal_quantile, t_quantile

FEWEST = 10
"""With fewer labelled passes or failures than this, only the labels themselves are used."""


class CorrectionMethod(StrEnum):
    """How a rate was corrected."""

    PREDICTION_POWERED = "ppi++"
    """The labelled replies are a random part of the run."""
    ROGAN_GLADEN = "rogan-gladen"
    """They come from elsewhere: sensitivity and specificity are carried over."""
    LABELS_ONLY = "labels only"
    """There are too few of them for anything else."""


@dataclass(frozen=True, slots=True)
class JudgedReply:
    """What a judge says about a reply, what a person says, if anybody did, and the conversation."""

    passed: bool
    label: bool | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected rate beside the raw one and that of the labels alone."""

    method: CorrectionMethod
    rate: Measurement
    raw: Measurement
    labelled: Measurement
    more_labels: int | None
    """About how many more labels would halve the interval; None where no number would."""


def correct_rate(verdicts: Sequence[JudgedReply], confidence: float = 0.95) -> Corrected:
    """Return the corrected rate of a run of which a random part is labelled."""
    known = [one for one in verdicts if one.label is not None]
    rest = [one for one in verdicts if one.label is None]
    raw = _rate([(one.group, one.passed) for one in verdicts], confidence)
    alone = _rate([(one.group, bool(one.label)) for one in known], confidence)
    passes = sum(bool(one.label) for one in known)
    if min(passes, len(known) - passes) < FEWEST or not rest:
        return Corrected(CorrectionMethod.LABELS_ONLY, alone, raw, alone, 3 * len(known) or None)
    rate, from_labels, from_rest = _power(known, rest, confidence)
    return Corrected(
        CorrectionMethod.PREDICTION_POWERED, rate, raw, alone, _more(len(known), from_labels, from_rest)
    )


def _rate(values: Sequence[tuple[str, bool]], confidence: float) -> Measurement:
    groups: dict[str, list[bool]] = {}
    for place, (group, value) in enumerate(values):
        groups.setdefault(group or str(place), []).append(value)
    return clustered_proportion([(sum(some), len(some)) for some in groups.values()], confidence)


def _power(
    known: Sequence[JudgedReply], rest: Sequence[JudgedReply], confidence: float
) -> tuple[Measurement, float, float]:
    """Return the rate by prediction-powered inference, and the two parts of its variance."""
    n, m = len(known), len(rest)
    labels, said = [float(bool(one.label)) for one in known], [float(one.passed) for one in known]
    pooled = [float(one.passed) for one in (*known, *rest)]
    spread = _variance(pooled)
    weight = _covariance(labels, said) / ((1 + n / m) * spread) if spread else 0.0
    weight = min(1.0, max(0.0, weight))
    residuals = [label - weight * one for label, one in zip(labels, said, strict=True)]
    others = [weight * one.passed for one in rest]
    value = _mean(others) + _mean(residuals)
    from_labels = _variance_of_mean(residuals, [one.group for one in known])
    from_rest = _variance_of_mean(others, [one.group for one in rest])
    groups = len({one.group or str(place) for place, one in enumerate(known)})
    half = t_quantile((1 + confidence) / 2, max(1, groups - 1)) * sqrt(from_labels + from_rest)
    interval = Interval(max(0.0, value - half), min(1.0, value + half))
    signature = f"ppi++:weight={weight:.2f}:{confidence:g}"
    return Measurement(min(1.0, max(0.0, value)), n + m, interval, signature), from_labels, from_rest


def _more(n: int, from_labels: float, from_rest: float) -> int | None:
    """Return how many more labels would halve the interval, if the variance of the rest allows it at all."""
    wanted = (from_labels + from_rest) / 4 - from_rest
    return ceil(n * (from_labels / wanted - 1)) if wanted > 0 else None


@dataclass(frozen=True, slots=True)
class JudgeCalibration:
    """How often a judge was right on labelled replies from elsewhere."""

    passes: int
    passes_found: int
    fails: int
    fails_found: int

    @property
    def sensitivity(self) -> float:
        """The share of passes that the judge passes, smoothed."""
        return (self.passes_found + 1) / (self.passes + 2)

    @property
    def specificity(self) -> float:
        """The share of fails that the judge fails, smoothed."""
        return (self.fails_found + 1) / (self.fails + 2)


def correct_by_calibration(
    passed: int, n: int, calibration: JudgeCalibration, confidence: float = 0.95
) -> Measurement | None:
    """Return a rate corrected by sensitivity and specificity (Rogan-Gladen, interval of Lee et al.).

    None where the judge is no better than chance, so that its verdicts say nothing.
    """
    if min(calibration.passes, calibration.fails) < 1 or n < 1:
        return None
    z = normal_quantile((1 + confidence) / 2)
    right, wrong = calibration.sensitivity, calibration.specificity
    gain = right + wrong - 1
    if gain <= 0:
        return None
    share, size = (passed + z * z / 2) / (n + z * z), n + z * z
    rate = min(1.0, max(0.0, (share + wrong - 1) / gain))
    from_fails = wrong * (1 - wrong) / (calibration.fails + 2)
    from_passes = right * (1 - right) / (calibration.passes + 2)
    shift = 2 * z * z * (rate * from_passes - (1 - rate) * from_fails)
    variance = share * (1 - share) / size + (1 - rate) ** 2 * from_fails + rate**2 * from_passes
    half = z * sqrt(variance) / gain
    low, high = max(0.0, rate + shift - half), min(1.0, rate + shift + half)
    return Measurement(rate, n, Interval(low, high), f"rogan-gladen-lee:{confidence:g}")


def draw_to_label(doubts: Sequence[float], count: int, seed: int = 0) -> list[int]:
    """Return which replies to label next: spread evenly over the doubt, and each as likely as any other.

    A systematic draw from the replies in the order of their doubt: every reply has the same chance, so the
    rate of the labels stays unbiased, while sure and doubtful ones are represented in their shares.
    """
    if count <= 0 or not doubts:
        return []
    random = Random(seed)  # noqa: S311 - a sample, and no secret
    order = sorted(range(len(doubts)), key=lambda place: (doubts[place], random.random()))
    step = max(1.0, len(order) / count)
    start = random.random() * step
    return sorted(order[int(start + step * number)] for number in range(min(count, len(order))))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


def _covariance(one: Sequence[float], other: Sequence[float]) -> float:
    left, right = _mean(one), _mean(other)
    return sum((a - left) * (b - right) for a, b in zip(one, other, strict=True)) / len(one)


def _variance_of_mean(values: Sequence[float], groups: Sequence[str]) -> float:
    """Return the variance of a mean whose values come in conversations."""
    mean = _mean(values)
    sums: dict[str, float] = {}
    for place, (value, group) in enumerate(zip(values, groups, strict=True)):
        key = group or f"#{place}"
        sums[key] = sums.get(key, 0.0) + value - mean
    count = len(sums)
    if count < 2:
        return _variance(values) / len(values)
    return count / (count - 1) * sum(total**2 for total in sums.values()) / len(values) ** 2
