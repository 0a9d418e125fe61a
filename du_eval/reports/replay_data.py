"""Replay and exposure gap as plain data."""

from __future__ import annotations

from typing import Any

from du_eval.evaluation.gap import ExposureGap, Level, exposure_gap
from du_eval.evaluation.replay import BotDifference
from du_eval.evaluation.results import CaseResult, RunResult
from du_eval.statistics.intervals import Interval, Measurement


def measurement_data(measurement: Measurement) -> dict[str, Any]:
    """Return a measurement as plain data."""
    return {
        "value": measurement.value,
        "n": measurement.n,
        "interval": interval_data(measurement.interval) if measurement.interval else None,
        "method": measurement.method,
    }


def interval_data(interval: Interval) -> list[float]:
    """Return an interval as plain data."""
    return [interval.low, interval.high]


def replay_data(run: RunResult) -> dict[str, Any]:
    """Return what the replay of a run found; nothing where nothing was replayed."""
    replays = [case.replay for case in run.cases if case.replay is not None]
    data: dict[str, Any] = {}
    if replays:
        data["bot_steps"] = {
            "checked": sum(replay.checked for replay in replays),
            "differing": sum(replay.differing for replay in replays),
            "surplus": sum(len(found.surplus) for replay in replays for found in replay.differences),
            "unchecked": sum(replay.unchecked for replay in replays),
            "differences": [entry for case in run.cases for entry in _differences(case)],
            "commands_without_effect": [entry for case in run.cases for entry in _without_effect(case)],
            "not_replayed": [_stopped(case) for case in run.cases if case.replay and case.replay.stopped],
        }
    gap = exposure_gap(run)
    return data if gap is None else {**data, "exposure_gap": gap_data(gap)}


def _differences(case: CaseResult) -> list[dict[str, Any]]:
    found = case.replay.differences if case.replay else ()
    return [_difference(case, difference) for difference in found]


def _difference(case: CaseResult, difference: BotDifference) -> dict[str, Any]:
    return {
        "file": case.file,
        "test_case": case.name,
        "line": difference.line,
        "user": difference.user,
        "expected": list(difference.expected),
        "said": list(difference.said),
        "missing": [difference.expected[index] for index in difference.missing],
        "surplus": [difference.said[index] for index in difference.surplus],
    }


def _without_effect(case: CaseResult) -> list[dict[str, Any]]:
    found = case.replay.without_effect if case.replay else ()
    place = {"file": case.file, "test_case": case.name}
    return [{**place, "line": f.line, "command": f.command.to_dsl(), "reason": f.reason} for f in found]


def _stopped(case: CaseResult) -> dict[str, Any]:
    assert case.replay is not None
    return {
        "file": case.file,
        "test_case": case.name,
        "step": case.replay.stopped_at,
        "line": case.replay.stopped_line,
        "reason": case.replay.stopped,
    }


def gap_data(gap: ExposureGap) -> dict[str, Any]:
    """Return an exposure gap as plain data."""
    return {
        "gap": gap.value,
        "gold": _level(gap.gold),
        "predicted": _level(gap.predicted),
        "turns": [
            {"turn": turn.turn, "gold": _level(turn.gold), "predicted": _level(turn.predicted)}
            for turn in gap.turns
        ],
        "diverged_cases": measurement_data(gap.diverged),
        "first_divergences": dict(gap.first_divergences),
        "recovery": measurement_data(gap.recovery),
        "steps_reused": gap.reused,
        "steps_asked": gap.asked,
    }


def _level(level: Level) -> dict[str, Any]:
    return {"accuracy": measurement_data(level.accuracy), "f1": level.f1}
