"""Rates corrected for the mistakes of the judge, from verdicts on everything and labels on some of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from math import ceil, sqrt
from random import Random

from msgspec import Struct

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


class JudgedReply(Struct, frozen=True):
    """What a judge says about a reply, what a person says, if anybody did, and the conversation."""

    passed: bool | None
    """None: the judge cannot tell."""
    label: bool | None = None
    group: str = ""

    @property
    def predicted(self) -> float:
        """The verdict as a number; one half where there is none, which labels then correct like any other."""
        return 0.5 if self.passed is None else float(self.passed)


class Corrected(Struct, frozen=True):
    """A corrected rate beside the raw one and that of the labels alone."""

    method: CorrectionMethod
    rate: Measurement
    raw: Measurement
    labelled: Measurement
    more_labels: int | None
    """About how many more labels would halve the interval; None where no number would."""


def correct_rate(verdicts: Sequence[JudgedReply], confidence: float = 0.95) -> Corrected:
    """Return the corrected rate of a run of which a random part is labelled.

    The raw rate is one of what the judge decided; the others are rates of everything.
    """
    known = [one for one in verdicts if one.label is not None]
    rest = [one for one in verdicts if one.label is None]
    raw = _rate([(one.group, one.passed) for one in verdicts if one.passed is not None], confidence)
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
    labels, said = [float(bool(one.label)) for one in known], [one.predicted for one in known]
    pooled = [one.predicted for one in (*known, *rest)]
    spread = _variance(pooled)
    weight = _covariance(labels, said) / ((1 + n / m) * spread) if spread else 0.0
    weight = min(1.0, max(0.0, weight))
    residuals = [label - weight * one for label, one in zip(labels, said, strict=True)]
    others = [weight * one.predicted for one in rest]
    value = _mean(others) + _mean(residuals)
    together, from_labels, from_rest, groups = _find_variances(
        (residuals, [one.group for one in known]), (others, [one.group for one in rest])
    )
    half = t_quantile((1 + confidence) / 2, max(1, groups - 1)) * sqrt(together)
    interval = Interval(max(0.0, value - half), min(1.0, value + half))
    signature = f"ppi++:weight={weight:.2f}:{confidence:g}"
    return Measurement(min(1.0, max(0.0, value)), n + m, interval, signature), from_labels, from_rest


def _find_variances(
    known: tuple[Sequence[float], Sequence[str]], rest: tuple[Sequence[float], Sequence[str]]
) -> tuple[float, float, float, int]:
    """Return the variance of the sum of two means, that of each, and the number of labelled conversations.

    A conversation may have labelled replies and others: what they share must not count twice. A few
    conversations may be alike by chance: replies are never more certain than if each stood alone.
    """
    is_grouped = len({*known[1]}) > 1
    own = [group if is_grouped and group else f"#{place}" for place, group in enumerate(known[1])]
    labelled = _influence(known[0], own)
    others = _influence(rest[0], [group or f"~{place}" for place, group in enumerate(rest[1])])
    alone = sum(_variance(values) / len(values) for values in (known[0], rest[0]))
    together = max(alone, _variance_of_sum(labelled, others))
    return together, _variance_of_sum(labelled), _variance_of_sum(others), len(labelled)


def _more(n: int, from_labels: float, from_rest: float) -> int | None:
    """Return how many more labels would halve the interval, if the variance of the rest allows it at all."""
    wanted = (from_labels + from_rest) / 4 - from_rest
    return ceil(n * (from_labels / wanted - 1)) if wanted > 0 else None


class JudgeCalibration(Struct, frozen=True):
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


def order_to_label(doubts: Sequence[float], seed: int = 0) -> list[int]:
    """Return the order in which to label replies: each as likely at any place, every start well mixed.

    Of neighbours in the order of doubt, one at random comes into the first half, and so on within the halves.
    Whoever stops early has labelled sure and doubtful replies in their shares, and none was preferred.
    """
    random = Random(seed)  # noqa: S311 - a sample, and no secret
    ranked = sorted(range(len(doubts)), key=lambda place: (doubts[place], random.random()))
    return _halve(ranked, random)


def _halve(ranked: Sequence[int], random: Random) -> list[int]:
    if len(ranked) < 2:
        return [*ranked]
    halves: tuple[list[int], list[int]] = [], []
    for start in range(0, len(ranked), 2):
        pair = random.sample(ranked[start : start + 2], len(ranked[start : start + 2]))
        first = random.randrange(2) if len(pair) == 1 else 0
        for place, one in enumerate(pair, first):
            halves[place].append(one)
    return [*_halve(halves[0], random), *_halve(halves[1], random)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


def _covariance(one: Sequence[float], other: Sequence[float]) -> float:
    left, right = _mean(one), _mean(other)
    return sum((a - left) * (b - right) for a, b in zip(one, other, strict=True)) / len(one)


def _influence(values: Sequence[float], groups: Sequence[str]) -> dict[str, float]:
    """Return how much each conversation moves a mean."""
    mean, found = _mean(values), dict.fromkeys(groups, 0.0)
    for value, group in zip(values, groups, strict=True):
        found[group] += (value - mean) / len(values)
    return found


def _variance_of_sum(*parts: Mapping[str, float]) -> float:
    """Return the variance of a sum of means whose values come in conversations."""
    groups = dict.fromkeys(group for part in parts for group in part)
    count = len(groups)
    total = sum(sum(part.get(group, 0.0) for part in parts) ** 2 for group in groups)
    return total * count / max(1, count - 1)
