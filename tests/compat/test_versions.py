"""Each released version of Rasa reads text by its own rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from du_eval import parse_commands
from du_eval.compat.policies import find_policy
from du_eval.compat.rasa import find_rules
from du_eval.compat.rasa_parser import strip_end
from du_eval.errors import ConfigError, InputError
from du_eval.suites.load import load_suite
from tests.cli.calling import Caller

FLOWS = ("some_flow", "other_flow", "with-hyphen")


def parsed(text: str, version: str, syntax: str = "calls") -> list[str]:
    return [str(c) for c in parse_commands(text, FLOWS, syntax=syntax, policy=f"rasa@{version}")]


@pytest.mark.parametrize(
    ("text", "syntax", "since", "before", "after"),
    [
        ("set slot tip 15%", "phrases", "3.13", ["SetSlot(tip, 15%)"], ["SetSlot(tip, 15)"]),
        ("set slot lang C++", "phrases-search", "3.13", ["SetSlot(lang, C++)"], ["SetSlot(lang, C)"]),
        ("set slot note (a b)", "phrases", "3.13", ["SetSlot(note, (a b))"], ["SetSlot(note, (a b)"]),
        ("set slot x None.", "phrases", "3.13", ["SetSlot(x, None.)"], ["SetSlot(x, None)"]),
        ("disambiguate flows", "phrases", "3.15", [], ["Clarify()"]),
        ("disambiguate flows!", "phrases", "3.15", [], ["Clarify()"]),
        ("Clarify(nothing)", "calls", "3.15", [], ["Clarify()"]),
        ("Clarify(with-hyphen, some_flow)", "calls", "3.13", [], ["Clarify(some_flow, with-hyphen)"]),
        ("ContinueAgent()", "calls", "3.14", [], ["ContinueAgent()"]),
        ("HumanHandoff()", "calls", "3.16", ["HumanHandoff()"], []),
    ],
)
def test_a_change_came_with_its_version(
    text: str, syntax: str, since: str, before: list[str], after: list[str]
) -> None:
    versions = [f"3.{minor}" for minor in range(12, 22)]
    first = versions.index(since)
    assert [parsed(text, version, syntax) for version in versions] == [before] * first + [after] * (
        10 - first
    )


def test_calls_keep_the_ends_of_their_values() -> None:
    assert parsed("SetSlot(tip, 15%)", "3.21") == ["SetSlot(tip, 15%)"]


@pytest.mark.parametrize(("value", "kept"), [("15%", "15"), ("$", "$"), ("a_", "a_"), ("", ""), ("!?", "!")])
def test_at_least_one_character_is_kept(value: str, kept: str) -> None:
    assert strip_end(value) == kept


def test_a_patch_release_has_the_rules_of_its_minor_one() -> None:
    assert find_rules("rasa@3.16.4") == find_rules("rasa@3.16")


def test_an_unknown_version_is_told() -> None:
    with pytest.raises(ConfigError, match=r"unknown matching policy 'rasa@9\.9'"):
        find_policy("rasa@9.9")
    with pytest.raises(InputError, match=r"unknown matching policy 'rasa@9\.9'"):
        parse_commands("", policy="rasa@9.9")


def suite(folder: Path, command: str) -> str:
    path = folder / "suite.yml"
    text = f"test_cases:\n- test_case: a\n  steps:\n  - user: hello\n    commands: ['{command}']\n"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_run_follows_its_version(call: Caller, tmp_path: Path) -> None:
    records = tmp_path / "predictions.jsonl"
    record = {"test_case": "a", "step": 1, "text": "set slot tip 15%"}
    records.write_text(json.dumps(record) + "\n", encoding="utf-8")
    path = suite(tmp_path, "set slot tip 15%")
    options = ("-g", f"recorded:{records}", "--syntax", "phrases", "--no-output")
    assert call("test", path, *options, "--match", "rasa@3.12").code == 0
    answer = call("test", path, *options, "--match", "rasa@3.13", "--json")
    assert answer.code == 1
    assert "match:rasa@3.13" in answer.out, "it is part of the signature"
    assert "warning: 1 expected values end in characters that 'rasa@3.13' cuts off" in answer.err


def test_a_command_that_a_version_does_not_know_cannot_be_expected(call: Caller, tmp_path: Path) -> None:
    path = suite(tmp_path, "HumanHandoff()")
    assert call("test", path, "--match", "rasa@3.16", "--no-output").code == 2
    assert "'HumanHandoff()'" in call("test", path, "--match", "rasa@3.21", "--no-output").err


def test_a_wrong_version_is_told_at_the_command_line(call: Caller, tmp_path: Path) -> None:
    answer = call("test", suite(tmp_path, "ChitChat()"), "--match", "rasa@4", "--no-output")
    assert answer.code == 2
    assert "match" in answer.err


def test_fixtures_come_from_the_nearest_conftest(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "conftest.yml").write_text("fixtures: [{one: [{a: 1}]}, {two: [{b: 1}]}]\n", encoding="utf-8")
    (inner / "conftest.yaml").write_text("fixtures: [{two: [{b: 2}]}]\n", encoding="utf-8")
    text = "test_cases:\n- test_case: t\n  fixtures: [one, two]\n  steps: [{user: m, commands: []}]\n"
    (inner / "suite.yml").write_text(text, encoding="utf-8")
    (case,) = load_suite([inner])
    assert [fixture.slots for fixture in case.fixtures] == [{"a": 1}, {"b": 2}]


def test_a_conftest_that_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "conftest.yml").write_text("fixtures: [5]\n", encoding="utf-8")
    text = "test_cases:\n- test_case: t\n  fixtures: [one]\n  steps: [{user: m, commands: []}]\n"
    for name in ("a.yml", "b.yml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_suite([tmp_path])
    assert sum("conftest.yml" in problem.file for problem in caught.value.problems) == 1
