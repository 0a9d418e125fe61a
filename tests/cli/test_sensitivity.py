"""`du-eval sensitivity`: runs of one data set with the schema in other words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Caller


@pytest.fixture
def reports(tmp_path: Path) -> list[str]:
    found = []
    for name, joint in (("v1", 1.0), ("v2", 0.0)):
        data = {
            "test_cases": [],
            "figures": {},
            "goals": {"joint_goals": [["c", 1, 0, joint], ["c", 2, 0, 1.0]]},
        }
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(data), encoding="utf-8")
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
    Path(reports[0]).write_text('{"test_cases": [], "figures": {}}', encoding="utf-8")
    answer = call("sensitivity", *reports)
    assert answer.code == 2
    assert "run the tests with --goals" in answer.err
