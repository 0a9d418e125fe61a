"""`du-eval sensitivity`: runs of one data set with the schema in other words."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.evaluation.confusion import ConfusionTable
from du_eval.evaluation.record import KIND, TestExtra
from du_eval.evaluation.step import StepDetail
from du_eval.runs.record import Head, Run
from du_eval.runs.report import write_run
from tests.cli.calling import Caller


def measured(joints: tuple[tuple[tuple[str, int, int], float], ...]) -> Run[StepDetail, TestExtra]:
    return Run(Head("test"), (), extra=TestExtra({}, ConfusionTable(), joints=joints))


@pytest.fixture
def reports(tmp_path: Path) -> list[str]:
    found = []
    for name, joint in (("v1", 1.0), ("v2", 0.0)):
        path = tmp_path / f"{name}.json"
        write_run(path, measured(((("c", 1, 0), joint), (("c", 2, 0), 1.0))), KIND)
        found.append(str(path))
    return found


def test_it_prints_the_joint_goal_of_each_run_and_the_sensitivity(call: Caller, reports: list[str]):
    answer = call("sensitivity", *reports)
    assert answer.code == 0
    assert "joint goal accuracy 1.000" in answer.out
    assert "joint goal accuracy 0.500" in answer.out
    assert "schema sensitivity 0.707 (n=2 frames, 2 runs; lower is better)" in answer.out


def test_one_run_has_no_sensitivity(call: Caller, reports: list[str]):
    answer = call("sensitivity", reports[0])
    assert answer.code == 2
    assert "at least two runs" in answer.err


def test_a_run_without_the_dialogue_state_is_refused_with_a_hint(call: Caller, reports: list[str]):
    write_run(Path(reports[0]), measured(()), KIND)
    answer = call("sensitivity", *reports)
    assert answer.code == 2
    assert "run the tests with --goals" in answer.err
