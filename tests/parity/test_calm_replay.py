"""A real public assistant: its own authors' tests agree with our engine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from du_eval.conversion.dsl import rewrite_folder
from du_eval.conversion.rules import load_rules
from du_eval.suites.load import load_suite
from tests.cli.calling import Caller
from tests.reading import read_run

pytestmark = pytest.mark.parity

ACTIONS = "tests.parity.calm_actions"
INVALID = "user_tries_to_skip_a_question_and_then_cancels_the_flow_hard.yml"
EXPLAINED = {
    # The author expects that a language model may not fill a slot that belongs to an entity. The gold command
    # fills it, though, and the official replay treats it as found by the entity extractor: the flow goes on.
    "user_asks_for_vacancies_no_department_entity_extracted": 2,
}
RULES = r"""
mappings:
- from_dsl_regex: ^StartFlow\(([^)]*)\)$
  to_dsl_pattern: start {1}
- from_dsl_regex: ^SetSlot\(([^,]+),\s*(.*)\)$
  to_dsl_pattern: set {1} {2}
- from_dsl_regex: ^Clarify\((.*)\)$
  to_dsl_pattern: clarify {1}
  input_separators: [",", " "]
  output_separator: " "
- from_dsl_regex: ^Cancel(Flow)?\(\)$
  to_dsl_pattern: cancel
- from_dsl_regex: ^ChitChat\(\)$
  to_dsl_pattern: chat
- from_dsl_regex: ^SearchAndReply\(\)$
  to_dsl_pattern: search
- from_dsl_regex: ^SkipQuestion\(\)$
  to_dsl_pattern: skip
"""


@pytest.fixture
def bot(parity_data: Path) -> Path:
    return parity_data / "calm" / "rasa-calm-demo"


@pytest.fixture
def suite(bot: Path, tmp_path: Path) -> Path:
    """Return a copy of the suite whose one invalid command is spelled right."""
    folder = tmp_path / "suite"
    shutil.copytree(bot / "dialogue_understanding_tests", folder)
    file = next(folder.rglob(INVALID))
    file.write_text(
        file.read_text(encoding="utf-8").replace("- Cancel()", "- CancelFlow()"), encoding="utf-8"
    )
    return folder


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(capsys)


def test_the_gold_replay_agrees_with_the_bot_steps_of_the_public_suite(
    call: Caller, bot: Path, suite: Path
) -> None:
    answer = call("test", str(suite), "--assistant", str(bot), "--actions", ACTIONS, "--json", "--no-output")
    found = read_run(answer.out)["bot"]
    assert found["checked"] == 426
    assert found["unchecked"] == 0
    assert 1 - found["differing"] / found["checked"] >= 0.95
    assert {entry["case"]: len(entry["difference"]["missing"]) for entry in found["differences"]} == EXPLAINED


def test_without_actions_what_cannot_be_replayed_is_said_and_nothing_is_assumed(
    call: Caller, bot: Path, suite: Path
) -> None:
    answer = call("test", str(suite), "--assistant", str(bot), "--json", "--no-output")
    data = read_run(answer.out)
    found = data["bot"]
    assert found["differing"] == 0
    assert found["checked"] + found["unchecked"] == 426
    assert all("the effect of the custom action" in entry["reason"] for entry in found["stops"])
    assert sum(data["steps"].values()) == 342


def test_the_end_to_end_cases_are_converted_and_what_is_ready_loads(
    call: Caller, bot: Path, tmp_path: Path
) -> None:
    target = tmp_path / "converted"
    arguments = ("--output-folder", str(target), "--assistant", str(bot), "--actions", ACTIONS)
    answer = call("convert", "e2e", str(bot / "e2e_tests"), *arguments)
    assert answer.code == 0, answer.err
    ready, review = load_suite([target / "ready"]), load_suite([target / "to_review"])
    assert len(ready) + len(review) == 88
    assert len(ready) >= 40
    for folder in ("ready", "to_review"):
        assert call("validate", str(target / folder), "--assistant", str(bot)).code == 0
    replayed = call(
        "test",
        str(target / "ready"),
        "--assistant",
        str(bot),
        "--actions",
        ACTIONS,
        "--strict-bot",
        "--no-output",
    )
    assert replayed.code == 0, replayed.out[-2000:]


def test_another_end_to_end_suite_runs_to_a_report(call: Caller, parity_data: Path) -> None:
    folder = parity_data / "calm" / "rasa-calm-hybrid-demo" / "tests"
    answer = call("e2e", str(folder), "--assistant", str(folder.parent), "--actions", ACTIONS, "--no-output")
    assert answer.code in {1, 3}, answer.err
    assert "test cases" in answer.out


def test_the_converted_spelling_is_that_of_the_recorded_run(
    bot: Path, parity_data: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yml"
    rules.write_text(RULES, encoding="utf-8")
    files = rewrite_folder(bot / "dialogue_understanding_tests", tmp_path / "new", load_rules(rules))
    for file in files:
        file.target.parent.mkdir(parents=True, exist_ok=True)
        file.target.write_bytes(file.new)
        _assert_only_commands_changed(file.old, file.new.decode())
    assert not [problem for file in files for problem in file.unmatched]
    runs = json.loads((parity_data / "oracles" / "rasa_runs.json").read_text(encoding="utf-8"))
    recorded: dict[tuple[str, str], list[list[str]]] = {}
    for step in next(run for run in runs if run["dsl"] == "compressed")["steps"]:
        key = (Path(step["file"]).name, step["test_case"])
        recorded.setdefault(key, []).append(sorted(step["expected"]))
    steps = differing = 0
    for case in load_suite([tmp_path / "new"]):
        new = [sorted(text.text for text in step.alternatives[0]) for step in case.user_steps]
        old = recorded[Path(case.file).name, case.name]
        steps += len(new)
        differing += sum(first != second for first, second in zip(new, old, strict=True))
    assert (steps, differing) == (342, 2)


def _assert_only_commands_changed(old: str, new: str) -> None:
    pairs = list(zip(old.splitlines(), new.splitlines(), strict=True))
    changed = [before.strip() for before, after in pairs if before != after]
    assert all(line.startswith(("- StartFlow(", "- SetSlot(", "- C", "- S")) for line in changed)
