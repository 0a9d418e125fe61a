"""`du-eval validate` checks end-to-end tests as what they are, and shows warnings beside errors."""

from __future__ import annotations

from pathlib import Path

from tests.cli.calling import Caller

ENDTOEND = """\
test_cases:
  - test_case: greeting
    steps:
      - user: hello
      - utter: utter_greet
"""
TEST = """\
test_cases:
  - test_case: greeting
    steps:
      - user: hello
        commands: [ChitChat()]
"""


def test_an_end_to_end_file_is_checked_as_one(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "e2e.yml").write_text(ENDTOEND, encoding="utf-8")
    answer = call("validate", str(tmp_path / "e2e.yml"), "--list")
    assert (answer.code, answer.out.splitlines()[-1]) == (0, "valid: 1 end-to-end case in 1 file")
    assert "greeting" in answer.out.splitlines()[0]


def test_a_mistake_in_it_is_told_in_its_own_terms(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "e2e.yml").write_text(ENDTOEND + "      - slot_was_sett: [a]\n", encoding="utf-8")
    answer = call("validate", str(tmp_path))
    assert answer.code == 2
    assert "slot_was_set" in answer.err
    assert "expected commands" not in answer.err


def test_a_folder_of_both_kinds_is_taken_apart(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "e2e.yml").write_text(ENDTOEND, encoding="utf-8")
    (tmp_path / "test.yml").write_text(TEST, encoding="utf-8")
    answer = call("validate", str(tmp_path))
    assert answer.code == 0
    assert "valid: 1 end-to-end case in 1 file" in answer.out
    assert "valid: 1 test case, 1 user step in 1 file" in answer.out


def test_warnings_are_shown_beside_errors(call: Caller, tmp_path: Path) -> None:
    text = TEST + "      - user: pay #5 now\n        commands: [Nope()]\n"
    (tmp_path / "test.yml").write_text(text, encoding="utf-8")
    answer = call("validate", str(tmp_path))
    assert answer.code == 2
    assert "warning: " in answer.err
    assert "YAML reads it as a comment" in answer.err
    assert "'Nope()' is not a command" in answer.err


def test_names_that_the_assistant_does_not_have_are_warned_of(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "domain.yml").write_text(
        "slots:\n  size:\n    type: text\nresponses:\n  utter_ask_size:\n  - text: Size?\n", encoding="utf-8"
    )
    (tmp_path / "flows.yml").write_text(
        "flows:\n  order:\n    description: order\n    steps:\n    - collect: size\n", encoding="utf-8"
    )
    kinds = (
        "slot_was_not_set: [{name: size}, {name: sise}]",
        "bot_did_not_utter: {utter_name: utter_ask_sise}",
        "flow_started: ordr",
        "bot_uttered: {utter_name: utter_ask_size}",
        "bot_did_not_utter: {utter_name: utter_ask_rephrase_rasa}",
    )
    lines = "".join(f"          - {kind}\n" for kind in kinds)
    suite = f"test_cases:\n  - test_case: c\n    steps:\n      - user: hi\n        assertions:\n{lines}"
    suite += "      - utter: utter_ask_nothing\n"
    (tmp_path / "e2e.yml").write_text(suite, encoding="utf-8")
    answer = call("validate", str(tmp_path / "e2e.yml"), "--assistant", str(tmp_path))
    assert answer.code == 0
    told = [line.partition("has no ")[2].partition(" (")[0] for line in answer.err.splitlines()]
    assert told == ["slot 'sise'", "response 'utter_ask_sise'", "flow 'ordr'", "response 'utter_ask_nothing'"]
    assert call("validate", str(tmp_path / "e2e.yml"), "--assistant", str(tmp_path), "--strict").code == 2
    ran = call("e2e", str(tmp_path / "e2e.yml"), "--assistant", str(tmp_path), "-g", "baseline")
    assert "the assistant has no slot 'sise' (did you mean 'size'?)" in ran.err


def write_assistant(folder: Path) -> None:
    (folder / "domain.yml").write_text("responses:\n  utter_greet:\n  - text: Hello\n", encoding="utf-8")
    steps = "    steps:\n    - action: utter_greet\n"
    flows = f"flows:\n  greet:\n    description: greet\n{steps}  pattern_chitchat:\n{steps}"
    (folder / "flows.yml").write_text(flows, encoding="utf-8")


def test_the_folder_of_an_assistant_without_tests_is_checked_and_shown(call: Caller, tmp_path: Path) -> None:
    write_assistant(tmp_path)
    answer = call("validate", str(tmp_path))
    assert (answer.code, answer.out) == (
        0,
        f"valid: assistant with 1 flow in {tmp_path}; it has no test cases\n",
    )
    assert "1 flow in " in call("flows", str(tmp_path)).out
    (tmp_path / "domain.yml").write_text("slots: {}\n", encoding="utf-8")
    broken = call("validate", str(tmp_path))
    assert broken.code == 2
    assert "says 'utter_greet', which no domain file defines" in broken.err


def test_end_to_end_tests_of_a_broken_assistant_are_not_valid(call: Caller, tmp_path: Path) -> None:
    write_assistant(tmp_path)
    (tmp_path / "domain.yml").write_text("slots: {}\n", encoding="utf-8")
    (tmp_path / "e2e.yml").write_text(ENDTOEND, encoding="utf-8")
    answer = call("validate", str(tmp_path))
    assert answer.code == 2
    assert "says 'utter_greet', which no domain file defines" in answer.err


def test_files_in_hidden_folders_are_no_test_files(call: Caller, tmp_path: Path) -> None:
    hidden = tmp_path / ".du-eval/runs/last"
    hidden.mkdir(parents=True)
    (hidden / "report.yml").write_text(TEST.replace("user", "usr"), encoding="utf-8")
    (tmp_path / "test.yml").write_text(TEST, encoding="utf-8")
    (tmp_path / "e2e.yml").write_text(ENDTOEND, encoding="utf-8")
    answer = call("validate", str(tmp_path))
    assert answer.code == 0
    assert "valid: 1 test case, 1 user step in 1 file" in answer.out


def test_a_command_test_of_an_end_to_end_file_says_what_it_is(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "e2e.yml").write_text(ENDTOEND, encoding="utf-8")
    answer = call("test", str(tmp_path / "e2e.yml"))
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert (
        "e2e.yml:1: this is an end-to-end test: it expects no commands (run it with du-eval e2e" in answer.err
    )


def test_a_folder_of_agent_cases_and_suites_is_taken_for_neither(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "case.hocon").write_text("{ agent = a, interactions = [ { text = hi } ] }", encoding="utf-8")
    (tmp_path / "suite.yml").write_text("test_cases: []\n", encoding="utf-8")
    answer = call("validate", str(tmp_path))
    assert answer.code == 2
    assert "holds agent cases" in answer.err
    assert "check them separately" in answer.err
