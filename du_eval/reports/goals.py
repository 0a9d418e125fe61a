"""The dialogue state as lines for a terminal, and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from du_eval.errors import InputError, Problem
from du_eval.evaluation.goals import FrameKey, Goals
from du_eval.reports.replay_data import measurement_data
from du_eval.reports.text import measured, number


def goal_lines(goals: Goals) -> Iterator[str]:
    """Yield a line for each figure, with what an empty and an unchanged state would earn."""
    width = max(len(figure.name) for figure in goals.figures)
    yield f"{'':{width}}  {'':30}  nothing predicted  state unchanged"
    for figure in goals.figures:
        floors = f"{number(figure.nothing):>17}  {number(figure.unchanged):>15}"
        yield f"{figure.name:{width}}  {measured(figure.measurement):30}  {floors}"


def goal_data(goals: Goals) -> dict[str, Any]:
    """Return the figures, and the joint goal of each frame."""
    return {
        "method": goals.method,
        "figures": {
            figure.name: measurement_data(figure.measurement)
            | {"floors": {"nothing predicted": figure.nothing, "state unchanged": figure.unchanged}}
            for figure in goals.figures
        },
        "joint_goals": [[*key, joint] for key, joint in goals.joints.items()],
    }


def joint_goals_in(data: Mapping[str, Any], name: str) -> dict[FrameKey, float]:
    """Return the joint goal of each frame of a report."""
    if "goals" not in data:
        hint = "run the tests with --goals"
        raise InputError(Problem(name, 0, "the dialogue state was not measured in this run", hint))
    return {(case, step, place): joint for case, step, place, joint in data["goals"]["joint_goals"]}
