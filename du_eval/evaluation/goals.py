"""Dialogue state over a run: intents, requested slots, average and joint goal accuracy, each with floors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod, sqrt
from statistics import fmean

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
from du_eval.evaluation.results import CaseResult
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.quantiles import t_quantile
from du_eval.suites.model import TestCase

FrameKey = tuple[str, int, int]
"""Case, user step, and number of the frame in the step: the same over runs of one suite in other words."""
_METHOD = "token-sort-ratio(levenshtein,rounded)|t-interval over conversations:0.95"


@dataclass(frozen=True, slots=True)
class GoalFigure:
    """A figure of the dialogue state, and what is had for nothing."""

    key: str
    """The name for gates: goal.joint."""
    name: str
    measurement: Measurement
    nothing: float | None
    """The figure of an empty prediction."""
    unchanged: float | None
    """The figure of a prediction that repeats the gold state before the step."""


@dataclass(frozen=True)
class Goals:
    """The figures of a run, and the joint goal of each frame."""

    figures: tuple[GoalFigure, ...]
    joints: Mapping[FrameKey, float] = field(default_factory=dict)
    method: str = _METHOD


@dataclass(frozen=True, slots=True)
class _Scored:
    """One frame scored in all the ways that are reported."""

    key: FrameKey
    predicted: FrameScore
    """With the state that the generator's own commands made."""
    gold: FrameScore
    """With the gold state before the step, and the generator's commands of the step."""
    nothing: FrameScore
    unchanged: FrameScore


@dataclass(frozen=True, slots=True)
class _Turn:
    """The joint goal of a user step over all services, without fuzzy matching."""

    predicted: float
    nothing: float
    unchanged: float


@dataclass(frozen=True)
class _Dialogue:
    """The scores of one conversation."""

    frames: tuple[_Scored, ...]
    turns: tuple[_Turn, ...]


def measure_goals(
    cases: Sequence[tuple[TestCase, CaseResult]],
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


def _samples(result: CaseResult) -> Iterator[Mapping[int, tuple[Command, ...]]]:
    """Yield the judged predictions of each sample by user step."""
    by_sample: dict[int, dict[int, tuple[Command, ...]]] = {}
    for step in result.steps:
        if step.outcome is not Outcome.ERRORED:
            by_sample.setdefault(step.place.sample, {})[step.place.step] = step.predicted
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
    for number, alternatives in enumerate(expected, start=1):
        before, about = gold, gold.asked_about(alternatives[0])
        gold = gold.after(alternatives)
        commands = predicted.get(number)
        if commands is None:
            continue
        own, helped = own.after((commands,)), before.after((commands,))
        states = (own, helped, before.after(()))
        frames += [
            _scored((name, number, place), service, gold, states) for place, service in enumerate(about)
        ]
        turns.append(_turn(gold, own, before))
    return _Dialogue(tuple(frames), tuple(turns))


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
        table = _Table(dialogues, value)
        yield GoalFigure(
            key,
            name,
            measure_mean(table.values(lambda frame: frame.gold) if is_helped else table.values(_own)),
            _mean(table.values(lambda frame: frame.nothing)),
            _mean(table.values(lambda frame: frame.unchanged)),
        )
    yield GoalFigure(
        "goal.joint_exact",
        "joint goal accuracy, all services, exact",
        measure_mean([[turn.predicted for turn in dialogue.turns] for dialogue in dialogues]),
        _mean([[turn.nothing for turn in dialogue.turns] for dialogue in dialogues]),
        _mean([[turn.unchanged for turn in dialogue.turns] for dialogue in dialogues]),
    )


def _own(frame: _Scored) -> FrameScore:
    return frame.predicted


_FRAME_FIGURES: Mapping[str, tuple[str, Callable[[FrameScore], float | None], bool]] = {
    "goal.intent": ("active intent accuracy", lambda score: score.intent, False),
    "goal.requested": ("requested slots F1", lambda score: score.requested_f1, False),
    "goal.average": ("average goal accuracy", lambda score: score.average, False),
    "goal.joint": ("joint goal accuracy", lambda score: score.joint, False),
    "goal.joint_gold_history": ("joint goal accuracy, gold history", lambda score: score.joint, True),
}
GOAL_FIGURES = (*_FRAME_FIGURES, "goal.joint_exact")


@dataclass(frozen=True)
class _Table:
    """One figure of all frames, by conversation."""

    dialogues: Sequence[_Dialogue]
    value: Callable[[FrameScore], float | None]

    def values(self, score: Callable[[_Scored], FrameScore]) -> list[list[float]]:
        """Return the values that are defined."""
        return [
            [found for frame in dialogue.frames if (found := self.value(score(frame))) is not None]
            for dialogue in self.dialogues
        ]


def _mean(clusters: Iterable[Sequence[float]]) -> float | None:
    values = [value for cluster in clusters for value in cluster]
    return fmean(values) if values else None


def measure_mean(clusters: Iterable[Sequence[float]], confidence: float = 0.95) -> Measurement:
    """Return a mean over values in clusters, with Student's interval over the clusters."""
    known = [cluster for cluster in clusters if cluster]
    n, value = sum(map(len, known)), _mean(known)
    if value is None:
        return Measurement(None, 0, None, _METHOD)
    if len(known) < 2:
        return Measurement(value, n, None, _METHOD)
    spread = sum((sum(cluster) - value * len(cluster)) ** 2 for cluster in known)
    error = sqrt(spread * len(known) / (len(known) - 1)) / n
    half = t_quantile((1 + confidence) / 2, len(known) - 1) * error
    return Measurement(value, n, Interval(max(0.0, value - half), min(1.0, value + half)), _METHOD)
