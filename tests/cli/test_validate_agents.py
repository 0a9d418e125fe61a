"""`du-eval validate` on agent cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Caller

CASE = 'agent: "tutor"\nconnections: ["http", "a2a"]\ninteractions: [ { text: "hi" }, { text: "bye" } ]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "one.hocon").write_text(CASE, encoding="utf-8")
    (tmp_path / "cases" / "two.yaml").write_text("agent: x\ninteractions:\n  - text: hi\n", encoding="utf-8")
    return tmp_path / "cases"


def test_cases_of_a_folder_are_counted(call: Caller, folder: Path):
    answer = call("validate", str(folder), "--list")
    assert answer.code == 0
    assert (
        answer.out.splitlines()[-1] == "valid: 2 agent cases, 3 interactions; connections: http, a2a, direct"
    )
    assert f"{folder}/one.hocon::one" in answer.out


def test_every_problem_of_every_file_comes_with_its_line(call: Caller, folder: Path):
    (folder / "one.hocon").write_text(CASE + "succes_ratio: 1/2\n", encoding="utf-8")
    (folder / "two.yaml").write_text("agent: x\ninteractions:\n  - texts: hi\n", encoding="utf-8")
    answer = call("validate", str(folder))
    assert answer.code == 2
    assert "one.hocon:4: unknown key 'succes_ratio'" in answer.err
    assert "two.yaml:3: unknown key 'texts'" in answer.err


def test_an_unknown_connection_is_a_warning_and_with_strict_an_error(call: Caller, folder: Path):
    (folder / "one.hocon").write_text(CASE.replace("a2a", "grpc"), encoding="utf-8")
    answer = call("validate", str(folder))
    assert answer.code == 0
    assert "one.hocon:2: unknown connection 'grpc'" in answer.err
    assert call("validate", str(folder), "--strict").code == 2


def test_cases_may_be_selected(call: Caller, folder: Path):
    assert "valid: 1 agent case, 1 interaction;" in call("validate", str(folder), "-k", "two").out


def test_suites_and_agent_cases_are_not_mixed(call: Caller, folder: Path, tmp_path: Path):
    suite = tmp_path / "suite.yml"
    suite.write_text("test_cases: []\n", encoding="utf-8")
    answer = call("validate", str(folder), str(suite))
    assert answer.code == 2
    assert "some of these paths are agent cases and some are suites" in answer.err
