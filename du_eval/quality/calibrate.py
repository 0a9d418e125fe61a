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
from du_eval.judges.coherence import CoherenceJudge, Exchanged
from du_eval.judges.similarity import SimilarityJudge
from du_eval.judges.yes_no import YesNoJudge
from du_eval.statistics.agreement import cohen_kappa
from du_eval.statistics.intervals import Interval, Measurement, proportion

KINDS = {
    "yes-no": {"question", "reply", "label"},
    "answers": {"question", "accepted", "reply", "label"},
    "similarity": {"text", "other", "label"},
    "coherence": {"context", "reply", "label"},
    "toxicity": {"text", "label"},
    "stuttering": {"text", "label"},
}
PACKAGED = {
    "yes-no": "yes_no.csv",
    "answers": "answers.csv",
    "coherence": "coherence.csv",
    "toxicity": "toxicity.csv",
    "stuttering": "stuttering.csv",
}
FOUND = {
    "answers": frozenset({"right", "1", "true", "yes", "passed"}),
    "similarity": frozenset({"same", "similar", "1", "true", "yes"}),
    "coherence": frozenset({"coherent", "1", "true", "yes"}),
    "toxicity": frozenset({"toxic", "1", "true", "yes"}),
    "stuttering": frozenset({"stutters", "1", "true", "yes"}),
}
"""The labels that a judge is to find; all others are those that it must leave alone."""
ABOVE = frozenset({"toxicity", "stuttering"})
"""Kinds where only what is above the threshold is found, as in the tests; else the threshold counts too."""
_STUTTERING_LABELS = frozenset({"stutters", "fluent"})
HELD_OUT = "held-out"
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
class HeldOut:
    """The threshold in use on the part of the items that nobody looked at when it was chosen."""

    n: int
    accuracy: Measurement
    kappa: float | None
    point: ThresholdPoint
    area: float


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
    held_out: HeldOut | None = None
    """How that threshold does on items that were not used to choose it, where a file has such a part."""


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
    for kind in ("coherence", "answers", "yes-no", "similarity", "toxicity"):
        if KINDS[kind] <= columns:
            return _kind(kind, rows), [
                {key: value or "" for key, value in row.items() if key} for row in rows
            ]
    wanted = "; ".join(f"{kind}: {', '.join(sorted(names))}" for kind, names in KINDS.items())
    raise InputError(Problem(path, 1, f"the columns {sorted(columns)} fit no kind", wanted))


def _kind(kind: str, rows: Sequence[dict[str, str]]) -> str:
    """Tell texts that stutter from texts that are toxic, by their labels."""
    labels = {(row.get("label") or "").strip().casefold() for row in rows}
    return "stuttering" if kind == "toxicity" and labels & _STUTTERING_LABELS else kind


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


def coherence_scores(rows: Sequence[dict[str, str]], judge: CoherenceJudge) -> list[float]:
    """Return the scores of labelled replies; the turns before a reply are parted by `|`."""
    items = [
        Exchanged(tuple(turn.strip() for turn in row["context"].split("|")), row["reply"]) for row in rows
    ]
    return [found.value for found in judge.scores(items)]


def calibrate_scores(
    kind: str, rows: Sequence[dict[str, str]], scores: Sequence[float], judge: str, threshold: float
) -> Calibration:
    """Return how scores tell apart what a judge is to find; items that are held out are kept apart."""
    given = _Scored(kind, scores, [row["label"].strip().casefold() in FOUND[kind] for row in rows])
    parts = [row.get("part", "").strip().casefold() == HELD_OUT for row in rows]
    tuning, held_out = given.some(parts, wanted=False), given.some(parts, wanted=True)
    if not tuning.is_mixed or (any(parts) and not held_out.is_mixed):
        raise InputError("the labels are all the same: there is nothing to separate")
    points = tuning.curve()
    flags = given.flags(threshold)
    wrong = tuple(
        f"{_shown(row)}: {score:.2f}, labelled {row['label']}"
        for row, score, flag, label in zip(rows, scores, flags, given.labels, strict=True)
        if flag != label
    )
    return Calibration(
        kind=kind,
        judge=judge,
        n=len(rows),
        accuracy=given.accuracy(threshold),
        kappa=cohen_kappa(flags, given.labels),
        mistakes=wrong,
        points=points,
        best=_best(points),
        best_interval=_best_interval(tuning),
        area=area_under(tuning.scores, tuning.labels),
        used=tuning.point(threshold),
        held_out=_held_out(held_out, threshold) if any(parts) else None,
    )


def _shown(row: dict[str, str]) -> str:
    named = [row[key] for key in ("context", "accepted", "text", "reply", "other") if row.get(key)]
    return " / ".join(map(repr, named))


@dataclass(frozen=True)
class _Scored:
    """Scores with labels: True for what is to be found."""

    kind: str
    scores: Sequence[float]
    labels: Sequence[bool]

    @property
    def is_mixed(self) -> bool:
        return any(self.labels) and not all(self.labels)

    def some(self, parts: Sequence[bool], *, wanted: bool) -> _Scored:
        chosen = [place for place, part in enumerate(parts) if part is wanted]
        return _Scored(self.kind, [self.scores[n] for n in chosen], [self.labels[n] for n in chosen])

    def drawn(self, random: Random) -> _Scored:
        chosen = random.choices(range(len(self.scores)), k=len(self.scores))
        return _Scored(self.kind, [self.scores[n] for n in chosen], [self.labels[n] for n in chosen])

    def flags(self, threshold: float) -> list[bool]:
        if self.kind in ABOVE:
            return [score > threshold for score in self.scores]
        return [score >= threshold for score in self.scores]

    def accuracy(self, threshold: float) -> Measurement:
        pairs = zip(self.flags(threshold), self.labels, strict=True)
        return proportion(sum(flag == label for flag, label in pairs), len(self.labels))

    def point(self, threshold: float) -> ThresholdPoint:
        flags = self.flags(threshold)
        found = [label for flag, label in zip(flags, self.labels, strict=True) if flag]
        good, all_good = sum(found), sum(self.labels)
        precision = good / len(found) if found else None
        alarms = (len(found) - good) / (len(self.labels) - all_good)
        return ThresholdPoint(threshold, precision, good / all_good, alarms)

    def curve(self) -> tuple[ThresholdPoint, ...]:
        return tuple(self.point(value) for value in sorted({round(score, 6) for score in self.scores}))


def _held_out(part: _Scored, threshold: float) -> HeldOut:
    return HeldOut(
        n=len(part.labels),
        accuracy=part.accuracy(threshold),
        kappa=cohen_kappa(part.flags(threshold), part.labels),
        point=part.point(threshold),
        area=area_under(part.scores, part.labels),
    )


def point_at(threshold: float, scores: Sequence[float], labels: Sequence[bool]) -> ThresholdPoint:
    """Return precision, recall and false alarms of a threshold that itself passes."""
    return _Scored("similarity", scores, labels).point(threshold)


def _best(points: Sequence[ThresholdPoint]) -> ThresholdPoint:
    return max(points, key=lambda point: (point.f1, point.threshold))


def _best_interval(given: _Scored) -> Interval | None:
    """Return where the best threshold lies in 95 of 100 resamples."""
    random = Random(0)
    drawn = [given.drawn(random) for _ in range(_RESAMPLES)]
    found = sorted(_best(one.curve()).threshold for one in drawn if one.is_mixed)
    return Interval(found[int(0.025 * len(found))], found[int(0.975 * len(found)) - 1]) if found else None


def area_under(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the chance that one to be found scores higher than one that is not; ties count half."""
    good = [score for score, label in zip(scores, labels, strict=True) if label]
    bad = [score for score, label in zip(scores, labels, strict=True) if not label]
    wins = sum((one > other) + 0.5 * (one == other) for one in good for other in bad)
    return wins / (len(good) * len(bad))
