"""Settings: a flag beats a variable, a variable beats the file, the file beats the default."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Caller


def shown(call: Caller) -> dict[str, dict[str, object]]:
    answer = call("config", "show", "seed.yml", "--json")
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_defaults_hold_without_any_other_source(call: Caller, work: Path) -> None:
    assert shown(call)["match"] == {"value": "exact", "origin": "default"}


def test_a_file_next_to_the_suite_beats_the_default(call: Caller, work: Path) -> None:
    (work / "du-eval.yaml").write_text("match: rasa\nconcurrency: 3\n", encoding="utf-8")
    assert shown(call)["match"] == {"value": "rasa", "origin": "du-eval.yaml"}


def test_pyproject_is_read_too(call: Caller, work: Path) -> None:
    (work / "pyproject.toml").write_text(
        '[tool.du-eval]\nremove-default-commands = ["Clarify"]\n', encoding="utf-8"
    )
    assert shown(call)["remove_default_commands"] == {"value": ["Clarify"], "origin": "pyproject.toml"}


def test_a_variable_beats_the_file(call: Caller, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "du-eval.yaml").write_text("concurrency: 3\n", encoding="utf-8")
    monkeypatch.setenv("DU_EVAL_CONCURRENCY", "5")
    assert shown(call)["concurrency"] == {"value": 5, "origin": "environment"}


def test_a_flag_beats_the_variable(call: Caller, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DU_EVAL_GENERATOR", "no_such:thing")
    assert call("test", "seed.yml", "-g", "my_module:perfect", "--no-output").code == 0


def test_the_nearest_parent_of_the_suite_counts(call: Caller, work: Path) -> None:
    (work / "du-eval.yaml").write_text("concurrency: 3\n", encoding="utf-8")
    inner = work / "inner"
    inner.mkdir()
    (inner / "du-eval.yaml").write_text("concurrency: 7\n", encoding="utf-8")
    (inner / "a.yml").write_text((work / "seed.yml").read_text(encoding="utf-8"), encoding="utf-8")
    answer = call("config", "show", "inner/a.yml", "--json")
    assert json.loads(answer.out)["concurrency"]["value"] == 7


def test_paths_in_a_file_are_relative_to_the_file(
    call: Caller, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "du-eval.yaml").write_text("assistant: bots/bank\n", encoding="utf-8")
    (work / "elsewhere").mkdir()
    monkeypatch.chdir(work / "elsewhere")
    answer = call("config", "show", "../seed.yml", "--json")
    assert json.loads(answer.out)["assistant"]["value"] == "../bots/bank"


def test_every_wrong_key_and_value_is_reported_with_its_place(call: Caller, work: Path) -> None:
    (work / "du-eval.yaml").write_text("mach: rasa\nconcurrency: 0\nmatch: fuzzy\n", encoding="utf-8")
    answer = call("test", "seed.yml")
    assert answer.code == 2
    assert "du-eval.yaml:1: unknown setting 'mach' (did you mean 'match'" in answer.err
    assert "du-eval.yaml:2: concurrency:" in answer.err
    assert "du-eval.yaml:3: match:" in answer.err


def test_an_unknown_variable_with_our_prefix_is_an_error(
    call: Caller, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DU_EVAL_GENERATR", "baseline")
    answer = call("test", "seed.yml")
    assert answer.code == 2
    assert "did you mean 'generator'" in answer.err


def test_the_table_for_people_names_each_origin(call: Caller, work: Path) -> None:
    answer = call("config", "show", "seed.yml")
    assert "generator" in answer.out
    assert "(default)" in answer.out
    assert "(flag)" in answer.out


def test_a_driven_history_cannot_be_sampled(call: Caller, work: Path) -> None:
    answer = call("test", "seed.yml", "-g", "my_module:perfect", "--history", "both", "--samples", "3")
    assert answer.code == 2
    assert "cannot be combined with samples" in answer.err
