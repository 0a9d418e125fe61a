"""`du-eval selfcheck` and `du-eval plan` at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Caller

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "dialogue_understanding_tests/bank/happy_path"


@pytest.fixture
def report(call: Caller, tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    call("test", str(SUITE), "--assistant", str(ROOT / "examples/bank"), "--output-file", str(path), "-q")
    return path


def test_a_run_is_checked_on_its_own_suite(call: Caller, report: Path) -> None:
    answer = call("selfcheck", str(report), "--simulations", "40")
    assert answer.code == 0
    assert answer.out.splitlines()[1].startswith("accuracy ")
    assert "chance that a comparison proves a loss of accuracy" in answer.out
    data = json.loads(call("selfcheck", str(report), "--simulations", "40", "--json").out)
    assert 0.8 <= data["figures"][0]["coverage"] <= 1
    macro = data["figures"][-1]
    assert (macro["name"], macro["method"]) == ("f1.macro", "clustered-jaccard:0.95")
    assert 0.7 <= macro["coverage"] <= 1


def test_a_plan_takes_a_run_or_does_without(call: Caller, report: Path) -> None:
    plain = json.loads(call("plan", "--detect", "0.03", "--json").out)
    assert plain["steps"] == 4
    assert [one["samples"] for one in plain["plans"]] == [1, 3, 5]
    known = json.loads(call("plan", "--detect", "0.03", str(report), "--json").out)
    assert known["steps"] != 4
    assert "conversations" in call("plan", "--detect", "0.03", "--power", "0.9").out


def test_a_run_that_is_not_there_is_an_error(call: Caller, tmp_path: Path) -> None:
    assert call("selfcheck", str(tmp_path / "none.json")).code == 2
    assert call("plan", "--detect", "0.03", str(tmp_path / "none.json")).code == 2
    assert call("plan", "--detect", "2").code == 2
