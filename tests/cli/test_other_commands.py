"""`du-eval validate`, `commands`, `schema` and the root of the command line."""

from __future__ import annotations

import json
from pathlib import Path

from du_eval import __version__
from tests.cli.calling import Caller


def test_validate_counts_what_it_checked(call: Caller, work: Path) -> None:
    answer = call("validate", "seed.yml", "--list")
    assert answer.code == 0
    assert "seed.yml::user_notes_down_a_friend\n" in answer.out
    assert "valid: 1 test case, 3 user steps in 1 file; assistant: none (1 case)" in answer.out


def test_validate_finds_the_assistant_of_each_example(call: Caller, project: Path, monkeypatch) -> None:
    monkeypatch.chdir(project)
    answer = call("validate")
    assert answer.code == 0, answer.err
    assert "examples/bank" in answer.out
    assert "examples/pizza" in answer.out


def test_validate_checks_flows_slots_and_responses_against_the_assistant(
    call: Caller, work: Path, project: Path
) -> None:
    answer = call("validate", "seed.yml", "--assistant", str(project / "examples" / "bank"))
    assert answer.code == 2
    assert "seed.yml:6: the assistant" in answer.err
    assert "has no slot 'handle'" in answer.err
    assert "has no response 'utter_ask_friend_handle'" in answer.err


def test_the_check_against_the_assistant_can_be_turned_off(call: Caller, work: Path, project: Path) -> None:
    answer = call(
        "validate", "seed.yml", "--assistant", str(project / "examples" / "bank"), "--no-check-flows"
    )
    assert answer.code == 0, answer.err


def test_strict_makes_warnings_errors(call: Caller, work: Path) -> None:
    (work / "cut.yml").write_text(
        "test_cases:\n- test_case: c\n  steps:\n  - user: pay #5 now\n    commands: []\n", encoding="utf-8"
    )
    assert call("validate", "cut.yml").code == 0
    assert call("validate", "cut.yml", "--strict").code == 2


def test_commands_lists_every_spelling(call: Caller) -> None:
    answer = call("commands")
    assert "StartFlow(flow)" in answer.out
    assert "start flow flow" in answer.out
    assert "search and reply" in answer.out
    assert "CannotHandle (cannot handle)  [off" in answer.out


def test_commands_as_json_with_patterns_and_a_custom_command(call: Caller, work: Path) -> None:
    answer = call(
        "commands",
        "--json",
        "--patterns",
        "--syntax",
        "phrases",
        "--additional-commands",
        "my_module.TestCommand",
    )
    rows = {row["class"]: row for row in json.loads(answer.out)["commands"]}
    assert rows["TestCommand"]["spelling"] == {"phrases": "Test()"}
    assert rows["TestCommand"]["pattern"] == {"phrases": r"Test\(\)"}
    assert rows["CancelFlow"]["spelling"] == {"phrases": "cancel flow"}


def test_a_further_command_can_be_switched_on(call: Caller) -> None:
    answer = call("commands", "--additional-commands", "CannotHandle", "--json")
    rows = {row["class"]: row for row in json.loads(answer.out)["commands"]}
    assert rows["CannotHandle"]["understood"] is True
    assert rows["ContinueAgent"]["understood"] is False


def test_the_schema_is_printed_and_written(call: Caller, work: Path) -> None:
    printed = json.loads(call("schema").out)
    assert printed["required"] == ["test_cases"]
    assert call("schema", "-o", "du-eval.schema.json").code == 0
    assert json.loads((work / "du-eval.schema.json").read_text(encoding="utf-8")) == printed


def test_the_version_is_printed(call: Caller) -> None:
    assert call("--version").out.strip() == __version__


def test_an_unknown_command_is_exit_code_2(call: Caller) -> None:
    assert call("tset").code == 2


def test_every_command_has_help_with_examples(call: Caller) -> None:
    for name in ("test", "validate", "commands", "schema"):
        answer = call(name, "--help")
        assert answer.code == 0
        assert f"du-eval {name}" in answer.out
        assert "Examples:" in answer.out
