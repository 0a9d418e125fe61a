"""The dialogue state figures of a converted suite against those of the raw annotations, frame by frame."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.commands import Command, SetSlot
from du_eval.commands.foreign import RequestSlot
from du_eval.commands.registry import build_registry
from du_eval.conversion.services import convert_services
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.goal_states import FrameScore, GoalFrame, GoalState, ServiceMap, score_frame
from du_eval.evaluation.goals import Goals, measure_goals
from du_eval.evaluation.step import LiveCommands, StepDetail
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Key, Result
from du_eval.suites.load import load_suite
from du_eval.suites.model import TestCase

pytestmark = pytest.mark.parity

Predictions = dict[str, list[tuple[Command, ...]]]
READER = ExpectationReader(CommandParser(build_registry([RequestSlot])))


@pytest.fixture
def data(parity_data: Path) -> Path:
    return parity_data / "benchmarks" / "sgd"


def predict(cases: list[TestCase], noise: float) -> Predictions:
    """Return the gold commands; a share of them is left out or has a wrong value."""
    chance = random.Random(1)

    def heard(command: Command) -> Iterator[Command]:
        drawn = chance.random()
        if drawn < noise and isinstance(command, SetSlot) and command.value and drawn > noise / 2:
            yield SetSlot(command.slot, command.value[:-2] if len(command.value) > 3 else "xx")
        elif drawn >= noise / 2:
            yield command

    return {
        case.name: [
            tuple(new for command in READER.alternatives(step)[0] for new in heard(command))
            for step in case.user_steps
        ]
        for case in cases
    }


def measure_suite(cases: list[TestCase], predictions: Predictions, assistant: Any) -> Goals:
    pairs = [
        (
            case,
            Case(
                case.file,
                case.name,
                tuple(
                    Result(
                        Key(case.file, case.name, number),
                        Outcome.FAILED,
                        StepDetail(live=LiveCommands(predicted=commands)),
                    )
                    for number, commands in enumerate(predictions[case.name], start=1)
                ),
            ),
        )
        for case in cases
    ]
    found = measure_goals(pairs, READER, lambda _: assistant)
    assert found is not None
    return found


def measure_annotations(data: Path, predictions: Predictions, services: ServiceMap) -> Iterator[FrameScore]:
    """Yield the scores of the frames that the annotations have, by the states that they give."""
    for dialogue in json.loads((data / "dialogues.json").read_text(encoding="utf-8")):
        own = GoalState(services)
        users = [turn for turn in dialogue["turns"] if turn["speaker"] == "USER"]
        for turn, commands in zip(users, predictions[dialogue["dialogue_id"]], strict=True):
            own = own.after((commands,))
            for frame in turn["frames"]:
                gold = gold_frame(frame["service"], frame["state"])
                yield score_frame(gold, own.frame(frame["service"]), services.categorical)


def gold_frame(service: str, state: dict[str, Any]) -> GoalFrame:
    intent = state["active_intent"]
    named = {f"{service}_{slot}": values for slot, values in state["slot_values"].items()}
    return GoalFrame(
        intent if intent == "NONE" else f"{service}_{intent}",
        {slot: tuple("none" if one == "None" else one for one in values) for slot, values in named.items()},
        tuple(f"{service}_{slot}" for slot in state["requested_slots"]),
    )


@pytest.mark.parametrize("noise", [0, 0.1, 0.3, 0.6])
def test_the_figures_of_a_suite_are_those_of_its_annotations(data: Path, tmp_path: Path, noise: float):
    convert_services(data, tmp_path / "suite")
    cases, assistant = list(load_suite([tmp_path / "suite"])), load_assistant(tmp_path / "suite")
    predictions = predict(cases, noise)
    ours = {
        figure.key: figure.measurement.value
        for figure in measure_suite(cases, predictions, assistant).figures
    }
    theirs = list(measure_annotations(data, predictions, ServiceMap.of(assistant)))
    tolerance = 0.003 if noise else 0
    assert ours["goal.intent"] == pytest.approx(fmean(one.intent for one in theirs), abs=tolerance)
    assert ours["goal.requested"] == pytest.approx(fmean(one.requested_f1 for one in theirs), abs=tolerance)
    averages = [one.average for one in theirs if one.average is not None]
    assert ours["goal.average"] == pytest.approx(fmean(averages), abs=tolerance)
    assert ours["goal.joint"] == pytest.approx(fmean(one.joint for one in theirs), abs=tolerance)
    assert noise or ours["goal.joint"] == 1
