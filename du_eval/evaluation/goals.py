"""Dialogue state over a run: intents, requested slots, average and joint goal accuracy, each with floors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from statistics import fmean

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.evaluation.expectations import Alternatives, ExpectationReader
from du_eval.evaluation.goal_states import (
    FrameScore,
    GoalFrame,
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


class _Scored(Struct, frozen=True):
    """One frame scored in all the ways that are reported."""

    key: FrameKey
    predicted: FrameScore
    """With the state that the generator's own commands made."""
    gold: FrameScore
    """With the gold state before the step, and the generator's commands of the step."""
    nothing: FrameScore
    unchanged: FrameScore
    follows_lost: bool = False
    """Whether a step before was not judged: the own state may be another one."""


class _Turn(Struct, frozen=True):
    """The joint goal of a user step over all services, without fuzzy matching."""

    predicted: float
    nothing: float
    unchanged: float
    follows_lost: bool = False


class _Dialogue(Struct, frozen=True):
    """The scores of one conversation."""

    frames: tuple[_Scored, ...]
    turns: tuple[_Turn, ...]
    lost: tuple[FrameScore, ...]
    """The frames of steps that were not judged, as an empty prediction scores."""
    lost_turns: int


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
    if not any(dialogue.frames for dialogue in dialogues):
        return None
    joints = {frame.key: frame.predicted.joint for dialogue in dialogues for frame in dialogue.frames}
    return Goals(tuple(_figures(dialogues)), joints)


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
    gold = own = start
    frames: list[_Scored] = []
    turns: list[_Turn] = []
    lost: list[FrameScore] = []
    lost_turns = 0
    for number, alternatives in enumerate(expected, start=1):
        before, about = gold, gold.asked_about(alternatives[0])
        gold = gold.after(alternatives)
        commands = predicted.get(number)
        if commands is None:
            lost += [score_frame(gold.frame(one), GoalFrame(), gold.services.categorical) for one in about]
            lost_turns += 1
            continue
        own, helped = own.after((commands,)), before.after((commands,))
        states = (own, helped, before.after(()))
        frames += [
            replace(_scored((name, number, place), service, gold, states), follows_lost=lost_turns > 0)
            for place, service in enumerate(about)
        ]
        turns.append(replace(_turn(gold, own, before), follows_lost=lost_turns > 0))
    return _Dialogue(tuple(frames), tuple(turns), tuple(lost), lost_turns)


def _scored(
    key: FrameKey, service: str, gold: GoalState, states: tuple[GoalState, GoalState, GoalState]
) -> _Scored:
    target, categorical = gold.frame(service), gold.services.categorical
    own, helped, unchanged = (score_frame(target, state.frame(service), categorical) for state in states)
    return _Scored(key, own, helped, score_frame(target, GoalFrame(), categorical), unchanged)


def _turn(gold: GoalState, own: GoalState, before: GoalState) -> _Turn:
    def joint(state: GoalState | None) -> float:
        return prod(
            score_frame(
                gold.frame(service), state.frame(service) if state else GoalFrame(), match=match_exactly
            ).joint
            for service in gold.frames.keys() | (state.frames.keys() if state else set())
        )

    return _Turn(joint(own), joint(None), joint(before))


def _figures(dialogues: Sequence[_Dialogue]) -> Iterator[GoalFigure]:
    for key, (name, value, is_helped) in _FRAME_FIGURES.items():
        own, gold, nothing, unchanged = (_list_values(dialogues, value, way) for way in _WAYS)
        lost = sum(value(one) is not None for dialogue in dialogues for one in dialogue.lost)
        # With the gold state before it, a step does not depend on those that were lost.
        chosen = [[(found, False) for found, _ in cluster] for cluster in gold] if is_helped else own
        yield GoalFigure(key, name, _measure(chosen, lost), _mean(nothing), _mean(unchanged))
    turns = [dialogue.turns for dialogue in dialogues]
    yield GoalFigure(
        "goal.joint_exact",
        "joint goal accuracy, all services, exact",
        _measure(
            [[(turn.predicted, turn.follows_lost) for turn in some] for some in turns],
            sum(dialogue.lost_turns for dialogue in dialogues),
        ),
        _mean([[(turn.nothing, False) for turn in some] for some in turns]),
        _mean([[(turn.unchanged, False) for turn in some] for some in turns]),
    )


_WAYS: tuple[Callable[[_Scored], FrameScore], ...] = (
    lambda frame: frame.predicted,
    lambda frame: frame.gold,
    lambda frame: frame.nothing,
    lambda frame: frame.unchanged,
)
_FRAME_FIGURES: Mapping[str, tuple[str, Callable[[FrameScore], float | None], bool]] = {
    "goal.intent": ("active intent accuracy", lambda score: score.intent, False),
    "goal.requested": ("requested slots F1", lambda score: score.requested_f1, False),
    "goal.average": ("average goal accuracy", lambda score: score.average, False),
    "goal.joint": ("joint goal accuracy", lambda score: score.joint, False),
    "goal.joint_gold_history": ("joint goal accuracy, gold history", lambda score: score.joint, True),
}
GOAL_FIGURES = (*_FRAME_FIGURES, "goal.joint_exact")


Values = list[list[tuple[float, bool]]]
"""By conversation: values that are defined, and whether each follows a step that was not judged."""


def _list_values(
    dialogues: Sequence[_Dialogue],
    value: Callable[[FrameScore], float | None],
    way: Callable[[_Scored], FrameScore],
) -> Values:
    return [
        [(found, frame.follows_lost) for frame in dialogue.frames if (found := value(way(frame))) is not None]
        for dialogue in dialogues
    ]


def _mean(clusters: Values) -> float | None:
    values = [value for cluster in clusters for value, _ in cluster]
    return fmean(values) if values else None


def _measure(clusters: Values, lost: int) -> Measurement:
    """Return a mean over values, and what it could be whatever the lost ones and those after them are."""
    found = clustered_mean([[value for value, _ in cluster] for cluster in clusters], most=1.0)
    found = replace(found, signature=_METHOD)
    doubtful = sum(is_open for cluster in clusters for _, is_open in cluster)
    if not lost + doubtful:
        return found
    sure, total = (
        sum(value for cluster in clusters for value, is_open in cluster if not is_open),
        found.n + lost,
    )
    possible = Interval(sure / total, (sure + doubtful + lost) / total)
    return replace(found, missing=lost + doubtful, possible=possible)
