"""Rates of a run corrected for the mistakes of its judge, from what people say about some of its texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from du_eval.runs.annotation import Annotation, JudgedText, group_by_check, measure_annotators, settle_labels
from du_eval.runs.figures import CorrectedRate, Direction, Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import D, E, Run
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.correction import (
    CorrectionMethod,
    JudgeCalibration,
    JudgedReply,
    correct_by_calibration,
    correct_rate,
)
from du_eval.statistics.counts import cohen_kappa
from du_eval.statistics.intervals import Measurement

CORRECTED = ".corrected"


def correct_run(run: Run[D, E], texts: Sequence[JudgedText], annotations: Sequence[Annotation]) -> Run[D, E]:
    """Return a run with its rates corrected by labels of a random part of it."""
    found = [
        _correct(mine, [one for one in annotations if one.check == check])
        for check, mine in group_by_check(texts).items()
        if any(one.check == check for one in annotations)
    ]
    return _put(run, found)


def _correct(texts: Sequence[JudgedText], annotations: Sequence[Annotation]) -> CorrectedRate:
    labels = settle_labels(annotations)
    rate = correct_rate([_reply(one, labels) for one in texts])
    twice, between = measure_annotators(annotations)
    return CorrectedRate(
        check=texts[0].check,
        method=str(rate.method),
        raw=_with_bounds(rate.raw, texts),
        corrected=rate.rate,
        labelled=rate.labelled,
        kappa=_agree(texts, labels),
        more_labels=rate.more_labels,
        annotators=tuple(sorted({one.by for one in annotations})),
        twice=twice,
        kappa_of_annotators=between,
        better=_direction(texts),
    )


def calibrate_run(
    run: Run[D, E], texts: Sequence[JudgedText], others: Sequence[JudgedText], labels: Mapping[str, Outcome]
) -> Run[D, E]:
    """Return a run with its rates corrected by labels of another run, judged by the same judge."""
    elsewhere = group_by_check(others)
    found = [
        one
        for check, mine in group_by_check(texts).items()
        for one in _calibrate(mine, elsewhere.get(check, []), labels)
    ]
    return _put(run, found)


def _calibrate(
    texts: Sequence[JudgedText], others: Sequence[JudgedText], labels: Mapping[str, Outcome]
) -> list[CorrectedRate]:
    """Return the corrected rate of what the judge decided, if the labels say how good it is."""
    names = {one.judge for one in texts}
    known = [_reply(one, labels) for one in others if one.judge in names]
    pairs = [one for one in known if one.label is not None and one.passed is not None]
    passes = [bool(one.passed) for one in pairs if one.label]
    fails = [not one.passed for one in pairs if not one.label]
    calibration = JudgeCalibration(len(passes), sum(passes), len(fails), sum(fails))
    decided = [one.counts(one.outcome) for one in texts if one.outcome.is_judged]
    rate = correct_by_calibration(sum(map(bool, decided)), len(decided), calibration)
    if rate is None:
        return []
    return [
        CorrectedRate(
            check=texts[0].check,
            method=str(CorrectionMethod.ROGAN_GLADEN),
            raw=_with_bounds(_rate([(one.group, one.counts(one.outcome)) for one in texts]), texts),
            corrected=rate,
            labelled=_rate([(one.group, one.label) for one in pairs]),
            kappa=_agree(others, labels),
            better=_direction(texts),
        )
    ]


def _reply(text: JudgedText, labels: Mapping[str, Outcome]) -> JudgedReply:
    label = labels.get(text.id, Outcome.UNDECIDED)
    return JudgedReply(text.counts(text.outcome), text.counts(label), text.group)


def _rate(values: Iterable[tuple[str, bool | None]]) -> Measurement:
    clusters: dict[str, list[bool]] = defaultdict(list)
    for group, value in values:
        if value is not None:
            clusters[group].append(value)
    return clustered_proportion([(sum(some), len(some)) for some in clusters.values()])


def _with_bounds(raw: Measurement, texts: Sequence[JudgedText]) -> Measurement:
    return replace(raw, missing=sum(one.outcome is Outcome.UNDECIDED for one in texts))


def _agree(texts: Iterable[JudgedText], labels: Mapping[str, Outcome]) -> float | None:
    """Return how far the judge and people agree where both decided."""
    pairs = [(one.outcome, labels.get(one.id, Outcome.UNDECIDED)) for one in texts]
    both = [(one, other) for one, other in pairs if one.is_judged and other.is_judged]
    return cohen_kappa([one for one, _ in both], [other for _, other in both])


def _direction(texts: Sequence[JudgedText]) -> Direction:
    return Direction.LOWER if texts[0].counted is Outcome.FAILED else Direction.HIGHER


def _put(run: Run[D, E], corrections: Sequence[CorrectedRate]) -> Run[D, E]:
    """Return a run with corrected rates, also among its figures: gates and history see them."""
    kept = tuple(one for one in run.figures if not one.name.endswith(CORRECTED))
    added = tuple(
        Figure(
            f"{one.check}{CORRECTED}",
            one.corrected,
            f"{one.check}, corrected for the judge",
            one.better,
            method=one.method,
        )
        for one in corrections
    )
    return replace(run, figures=(*kept, *added), corrections=tuple(corrections))
