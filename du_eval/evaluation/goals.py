"""Dialogue state over a run: intents, requested slots, average and joint goal accuracy, each with floors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.evaluation.expectations import Alternatives, ExpectationReader
from du_eval.evaluation.goal_states import (
    FrameScore,
    GoalState,
    ServiceMap,
    match_exactly,
    score_frame,
)
from du_eval.evaluation.step import JudgedCase
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.paired_means import STUDENT, clustered_mean
from du_eval.suites.model import TestCase

FrameKey = tuple[str, int, int]
"""Case, user step, and number of the frame in the step: the same over runs of one suite in other words."""
_METHOD = f"token-sort-ratio(levenshtein,rounded)|{STUDENT}:0.95"


class GoalFigure(Struct, frozen=True, omit_defaults=True):
    """A figure of the dialogue state, and what is had for nothing."""

    key: str
    """The name for gates: goal.joint."""
    name: str
    measurement: Measurement
    nothing: float | None
    """The figure of an empty prediction."""
    unchanged: float | None
    """The figure of a prediction that repeats the gold state before the step."""


class Goals(Struct, frozen=True):
    """The figures of a run, and the joint goal of each frame."""

    figures: tuple[GoalFigure, ...]
    joints: Mapping[FrameKey, float] = field(default_factory=dict)
    method: str = _METHOD


class _Value(NamedTuple):
    """A figure of one frame or step: of the prediction, of none, and of the gold state before."""

    found: float
    nothing: float
    unchanged: float
    is_open: bool
    """Whether a step before was not judged: the own state may be another one."""


class _Dialogue(Struct):
    """The values of one conversation by figure, and how many of each figure were not judged."""

    values: dict[str, list[_Value]] = field(default_factory=lambda: {key: [] for key in GOAL_FIGURES})
    lost: Counter[str] = field(default_factory=Counter)
    joints: dict[FrameKey, float] = field(default_factory=dict)


def measure_goals(
    cases: Sequence[tuple[TestCase, JudgedCase]],
    reader: ExpectationReader,
    assistant_of: Callable[[TestCase], Assistant | None],
) -> Goals | None:
    """Return the figures of the dialogue state of a run; None where nothing was judged."""
    services: dict[str, ServiceMap] = {}
    dialogues = []
    for case, result in cases:
        assistant = assistant_of(case)
        path = assistant.path if assistant else ""
        if path not in services:
            services[path] = ServiceMap.of(assistant)
        expected = [reader.alternatives(step) for step in case.user_steps]
        dialogues += [
            _follow(result.name, expected, predicted, GoalState(services[path]))
            for predicted in _samples(result)
        ]
    if not any(dialogue.values["goal.intent"] for dialogue in dialogues):
        return None
    joints = {key: value for dialogue in dialogues for key, value in dialogue.joints.items()}
    return Goals(tuple(_figure(key, dialogues) for key in GOAL_FIGURES), joints)


def _samples(case: JudgedCase) -> Iterator[Mapping[int, tuple[Command, ...]]]:
    """Yield the judged predictions of each sample by user step."""
    by_sample: dict[int, dict[int, tuple[Command, ...]]] = {}
    for step in case.results:
        judged = by_sample.setdefault(step.key.sample, {})
        if step.outcome is not Outcome.ERRORED:
            judged[step.key.step] = step.detail.live.predicted
    yield from by_sample.values()


def _follow(
    name: str,
    expected: Sequence[Alternatives],
    predicted: Mapping[int, tuple[Command, ...]],
    start: GoalState,
) -> _Dialogue:
    """Return the scores of one conversation; a step without a prediction is not scored."""
    found, gold, own = _Dialogue(), start, start
    for number, alternatives in enumerate(expected, start=1):
        before, about = gold, gold.find_services(alternatives[0])
        gold = gold.after(alternatives)
        commands = predicted.get(number)
        if commands is None:
            _note_lost(found, gold, about)
            continue
        own, helped = own.after((commands,)), before.after((commands,))
        states, is_open = (own, helped, start, before.after(())), bool(found.lost)
        for place, service in enumerate(about):
            scores = [_score(gold, state, service) for state in states]
            found.joints[name, number, place] = scores[0].joint
            for key, (_, value, is_helped) in _FRAME_FIGURES.items():
                mine, nothing, unchanged = (value(scores[way]) for way in (int(is_helped), 2, 3))
                if mine is not None and nothing is not None and unchanged is not None:
                    # With the gold state before it, a step does not depend on those that were lost.
                    found.values[key].append(_Value(mine, nothing, unchanged, is_open and not is_helped))
        exact = (_join(gold, own), _join(gold, start), _join(gold, before))
        found.values[_EXACT].append(_Value(*exact, is_open))
    return found


def _note_lost(found: _Dialogue, gold: GoalState, about: Sequence[str]) -> None:
    found.lost[_EXACT] += 1
    for service in about:
        nothing = _score(gold, GoalState(gold.services), service)
        found.lost.update(key for key, (_, value, _) in _FRAME_FIGURES.items() if value(nothing) is not None)


def _score(gold: GoalState, state: GoalState, service: str) -> FrameScore:
    return score_frame(gold.frame(service), state.frame(service), gold.services.categorical)


def _join(gold: GoalState, state: GoalState) -> float:
    """Return the joint goal of a user step over all services, without fuzzy matching."""
    return prod(
        score_frame(gold.frame(service), state.frame(service), match=match_exactly).joint
        for service in gold.frames.keys() | state.frames.keys()
    )


_FRAME_FIGURES: Mapping[str, tuple[str, Callable[[FrameScore], float | None], bool]] = {
    "goal.intent": ("active intent accuracy", lambda score: score.intent, False),
    "goal.requested": ("requested slots F1", lambda score: score.requested_f1, False),
    "goal.average": ("average goal accuracy", lambda score: score.average, False),
    "goal.joint": ("joint goal accuracy", lambda score: score.joint, False),
    "goal.joint_gold_history": ("joint goal accuracy, gold history", lambda score: score.joint, True),
}
"""Each figure of a frame: its title, its value, and whether the gold state before the step is given."""
_EXACT = "goal.joint_exact"
GOAL_FIGURES: tuple[str, ...] = (*_FRAME_FIGURES, _EXACT)


def _figure(key: str, dialogues: Sequence[_Dialogue]) -> GoalFigure:
    clusters = [dialogue.values[key] for dialogue in dialogues]
    title = _FRAME_FIGURES[key][0] if key in _FRAME_FIGURES else "joint goal accuracy, all services, exact"
    nothing, unchanged = (
        [getattr(value, floor) for cluster in clusters for value in cluster]
        for floor in ("nothing", "unchanged")
    )
    measured = _measure(clusters, sum(dialogue.lost[key] for dialogue in dialogues))
    return GoalFigure(
        key, title, measured, fmean(nothing) if nothing else None, fmean(unchanged) if unchanged else None
    )


def _measure(clusters: Sequence[Sequence[_Value]], lost: int) -> Measurement:
    """Return a mean over values, and what it could be whatever the lost ones and those after them are."""
    found = clustered_mean([[value.found for value in cluster] for cluster in clusters], most=1.0)
    found = replace(found, signature=_METHOD)
    values = [value for cluster in clusters for value in cluster]
    doubtful = sum(value.is_open for value in values)
    if not lost + doubtful:
        return found
    sure, total = sum(value.found for value in values if not value.is_open), found.n + lost
    possible = Interval(sure / total, (sure + doubtful + lost) / total)
    return replace(found, missing=lost + doubtful, possible=possible)
