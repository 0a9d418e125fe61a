"""How good a judge is on labelled data: precision, recall, curves, the best threshold and how sure it is."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from random import Random

from du_eval.errors import InputError, Problem
from du_eval.judges.answers import AnswerJudge, AnswerTask
from du_eval.judges.similarity import SimilarityJudge
from du_eval.judges.yes_no import YesNoJudge
from du_eval.statistics.agreement import cohen_kappa
from du_eval.statistics.intervals import Interval, Measurement, proportion

KINDS = {
    "yes-no": {"question", "reply", "label"},
    "answers": {"question", "accepted", "reply", "label"},
    "similarity": {"text", "other", "label"},
}
PACKAGED = {"yes-no": "yes_no.csv", "answers": "answers.csv"}
_GOOD = frozenset({"right", "1", "true", "yes", "same", "similar", "passed"})
_RESAMPLES = 200


@dataclass(frozen=True, slots=True)
class ThresholdPoint:
    """What a threshold would give."""

    threshold: float
    precision: float | None
    recall: float
    false_alarms: float
    """The share of wrong ones that would pass."""

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = (self.precision or 0.0) + self.recall
        return 2 * (self.precision or 0.0) * self.recall / total if total else 0.0


@dataclass(frozen=True)
class Calibration:
    """The judge against the labels."""

    kind: str
    judge: str
    n: int
    accuracy: Measurement
    kappa: float | None
    mistakes: tuple[str, ...] = ()
    points: tuple[ThresholdPoint, ...] = ()
    best: ThresholdPoint | None = None
    best_interval: Interval | None = None
    area: float | None = None
    """The area under the ROC curve."""
    used: ThresholdPoint | None = None
    """The threshold that the judge uses now."""


def read_labelled(path: str) -> tuple[str, list[dict[str, str]]]:
    """Return the kind and the rows of a labelled file, or of one that we ship by its name."""
    if path in PACKAGED:
        text = files("du_eval.judges.data").joinpath(PACKAGED[path]).read_text(encoding="utf-8")
    else:
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise InputError(f"the labelled file {path} cannot be read: {error}") from error
    rows = list(csv.DictReader(text.splitlines()))
    columns = set(rows[0]) if rows else set()
    for kind in ("answers", "yes-no", "similarity"):
        if KINDS[kind] <= columns:
            return kind, [{key: value or "" for key, value in row.items() if key} for row in rows]
    wanted = "; ".join(f"{kind}: {', '.join(sorted(names))}" for kind, names in KINDS.items())
    raise InputError(Problem(path, 1, f"the columns {sorted(columns)} fit no kind", wanted))


def calibrate_yes_no(rows: Sequence[dict[str, str]], judge: YesNoJudge) -> Calibration:
    """Return how a yes/no judge does on labels yes, no and unclear."""
    said = [str(judge.decide(row["reply"], row["question"]).polarity) for row in rows]
    labels = [row["label"].strip().casefold() for row in rows]
    wrong = tuple(
        f"{row['question']} {row['reply']!r}: {found}, labelled {label}"
        for row, found, label in zip(rows, said, labels, strict=True)
        if found != label
    )
    rate = proportion(len(rows) - len(wrong), len(rows))
    return Calibration("yes-no", judge.name, len(rows), rate, cohen_kappa(said, labels), wrong)


def answer_scores(rows: Sequence[dict[str, str]], judge: AnswerJudge) -> list[float]:
    """Return the scores of labelled answers."""
    tasks = [AnswerTask(row["reply"], tuple(row["accepted"].split("|")), (), row["question"]) for row in rows]
    return [answer.value for answer in judge.scores(tasks)]


def pair_scores(rows: Sequence[dict[str, str]], judge: SimilarityJudge) -> list[float]:
    """Return the scores of labelled pairs."""
    return judge.scores([(row["text"], row["other"]) for row in rows])


def calibrate_scores(
    kind: str, rows: Sequence[dict[str, str]], scores: Sequence[float], judge: str, threshold: float
) -> Calibration:
    """Return how scores separate what is labelled right from what is labelled wrong."""
    labels = [row["label"].strip().casefold() in _GOOD for row in rows]
    if all(labels) or not any(labels):
        raise InputError("the labels are all the same: there is nothing to separate")
    points = curve(scores, labels)
    best = _best(points)
    passed = [score >= threshold for score in scores]
    same = sum(one == other for one, other in zip(passed, labels, strict=True))
    wrong = tuple(
        f"{row.get('accepted', row.get('text'))!r} / {row.get('reply', row.get('other'))!r}: {score:.2f}, "
        f"labelled {row['label']}"
        for row, score, ok, label in zip(rows, scores, passed, labels, strict=True)
        if ok != label
    )
    return Calibration(
        kind=kind,
        judge=judge,
        n=len(rows),
        accuracy=proportion(same, len(rows)),
        kappa=cohen_kappa(passed, labels),
        mistakes=wrong,
        points=points,
        best=best,
        best_interval=_best_interval(scores, labels),
        area=area_under(scores, labels),
        used=point_at(threshold, scores, labels),
    )


def point_at(threshold: float, scores: Sequence[float], labels: Sequence[bool]) -> ThresholdPoint:
    """Return precision, recall and false alarms of a threshold."""
    passed = [label for score, label in zip(scores, labels, strict=True) if score >= threshold]
    good, all_good = sum(passed), sum(labels)
    bad = len(labels) - all_good
    precision = good / len(passed) if passed else None
    return ThresholdPoint(threshold, precision, good / all_good, (len(passed) - good) / bad)


def curve(scores: Sequence[float], labels: Sequence[bool]) -> tuple[ThresholdPoint, ...]:
    """Return a point for each threshold that makes a difference: the ROC and the precision-recall curve."""
    values = sorted({round(score, 6) for score in scores})
    return tuple(point_at(value, scores, labels) for value in values)


def _best(points: Sequence[ThresholdPoint]) -> ThresholdPoint:
    return max(points, key=lambda point: (point.f1, point.threshold))


def _best_interval(scores: Sequence[float], labels: Sequence[bool]) -> Interval | None:
    """Return where the best threshold lies in 95 of 100 resamples."""
    random, found = Random(0), []
    rows = list(zip(scores, labels, strict=True))
    for _ in range(_RESAMPLES):
        drawn = random.choices(rows, k=len(rows))
        some = [score for score, _ in drawn], [label for _, label in drawn]
        if any(some[1]) and not all(some[1]):
            found.append(_best(curve(*some)).threshold)
    found.sort()
    return Interval(found[int(0.025 * len(found))], found[int(0.975 * len(found)) - 1]) if found else None


def area_under(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the chance that a right one scores higher than a wrong one; ties count half."""
    good = [score for score, label in zip(scores, labels, strict=True) if label]
    bad = [score for score, label in zip(scores, labels, strict=True) if not label]
    wins = sum((one > other) + 0.5 * (one == other) for one in good for other in bad)
    return wins / (len(good) * len(bad))
