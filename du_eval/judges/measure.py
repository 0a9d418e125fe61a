"""How good a judge is on labelled replies: how much it decides, and how often it is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from du_eval.judges.judge import Judge
from du_eval.judges.labelled import Labelled
from du_eval.judges.opinion import Opinion
from du_eval.judges.tasks import LABELS, Role
from du_eval.statistics.clusters import clustered_proportion, proportion
from du_eval.statistics.counts import cohen_kappa
from du_eval.statistics.intervals import Measurement

UNDECIDED = "undecided"
_UNCLEAR = "unclear"


class LabelFigures(Struct, frozen=True):
    """How well one label is found: `n` replies have it."""

    n: int
    precision: Measurement
    recall: Measurement


class JudgedItem(Struct, frozen=True):
    """What a judge said of a labelled item."""

    row: Labelled
    turn: int
    """Among the turns of a dialogue, from 1; 0 where a line is one item."""
    label: str
    said: str
    reason: str

    @property
    def texts(self) -> dict[str, Any]:
        """What was judged, by the keys of the file; of a dialogue the turns up to this one."""
        return {
            key: value[: self.turn or None] if key == "turns" else value
            for key, value in self.row.texts.items()
        }


class Quality(Struct, frozen=True):
    """A judge against the labels."""

    role: Role
    judge: str
    n: int
    accuracy: Measurement
    """Of all replies; what is undecided is not right, except where `unclear` is."""
    decided: Measurement
    accuracy_of_decided: Measurement
    kappa: float | None
    labels: dict[str, LabelFigures]
    confusion: dict[tuple[str, str], int]
    """(label, what the judge said) -> how often."""
    mistakes: tuple[JudgedItem, ...]
    """What the judge is wrong about or cannot tell."""
    turns: Quality | None = None
    """Where a line is a dialogue: the same, turn by turn."""


def measure_judge(role: Role, judge: Judge, rows: Sequence[Labelled]) -> Quality:
    """Return how good a judge of a role is; dialogues count as wholes, and their turns beside them."""
    tasks = [task for row in rows for task in row.tasks]
    opinions = iter(judge.judge(tasks))
    by_row = [[next(opinions) for _ in row.tasks] for row in rows]
    if role is not Role.REPEATED_QUESTIONS:
        judged = [
            _judged(role, row, 0, row.labels[0], opinion)
            for row, (opinion,) in zip(rows, by_row, strict=True)
        ]
        return _sum(role, judge.name, judged)
    turns = [
        _judged(role, row, place + 1, label, opinion)
        for row, given in zip(rows, by_row, strict=True)
        for place, (label, opinion) in enumerate(zip(row.labels, given, strict=True))
    ]
    wholes = [_whole(row, [one for one in turns if one.row is row]) for row in rows]
    return _sum(role, judge.name, wholes, _sum(role, judge.name, turns))


def _judged(role: Role, row: Labelled, turn: int, label: str, opinion: Opinion) -> JudgedItem:
    undecided = _UNCLEAR if role is Role.YES_NO else UNDECIDED
    return JudgedItem(row, turn, label, opinion.label or undecided, opinion.reason)


def _whole(row: Labelled, turns: Sequence[JudgedItem]) -> JudgedItem:
    """Return what holds of a dialogue: whether any of its turns asks again."""
    label = "true" if "true" in row.labels else "false"
    found = next((one for one in turns if one.said == "true"), None)
    if found:
        return JudgedItem(row, 0, label, "true", found.reason)
    is_open = any(one.said == UNDECIDED for one in turns)
    said = UNDECIDED if is_open else "false"
    return JudgedItem(row, 0, label, said, "no turn asks again")


def _sum(role: Role, judge: str, judged: Sequence[JudgedItem], turns: Quality | None = None) -> Quality:
    decided = [one for one in judged if one.said not in {UNDECIDED, _UNCLEAR}]
    wrong = [one for one in judged if one.said != one.label]
    return Quality(
        role=role,
        judge=judge,
        n=len(judged),
        accuracy=_rate(judged, judged),
        decided=_share(decided, judged),
        accuracy_of_decided=_rate(decided, judged),
        kappa=cohen_kappa([one.said for one in judged], [one.label for one in judged]),
        labels={label: _figures(label, judged) for label in LABELS[role]},
        confusion=dict(sorted(Counter((one.label, one.said) for one in judged).items())),
        mistakes=tuple(wrong),
        turns=turns,
    )


def _rate(some: Sequence[JudgedItem], every: Sequence[JudgedItem]) -> Measurement:
    """Return how many of some are right, with an interval that knows which lines share a question."""
    groups = dict.fromkeys(one.row.group for one in every)
    clusters = [
        (
            sum(one.said == one.label for one in some if one.row.group == group),
            sum(one.row.group == group for one in some),
        )
        for group in groups
    ]
    return clustered_proportion(clusters)


def _share(some: Sequence[JudgedItem], every: Sequence[JudgedItem]) -> Measurement:
    return proportion(len(some), len(every))


def _figures(label: str, judged: Sequence[JudgedItem]) -> LabelFigures:
    said = [one for one in judged if one.said == label]
    have = [one for one in judged if one.label == label]
    hits = sum(one.label == label for one in said)
    return LabelFigures(len(have), proportion(hits, len(said)), proportion(hits, len(have)))
