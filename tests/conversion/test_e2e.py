"""End-to-end tests into dialogue understanding tests."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from du_eval.suites.load import load_suite
from tests.assistants.workshop import write_workshop
from tests.cli.calling import Answer, Caller

PROJECT = Path(__file__).parent.parent.parent
GENERATOR = """\
ANSWERS = {"fix": "StartFlow(repair)", "chain": "SetSlot(part, chain)", "hours": "StartFlow(hours)",
           "odd": "StartFlow(no_such_flow)"}

def generate(request):
    if request.message == "boom":
        raise ValueError("boom")
    return ANSWERS.get(request.message, "")
"""
CASES = """\
fixtures:
  - staff: [{is_staff: true}]
  - unused: [{is_staff: true}]
metadata:
  - app: {channel: app}
  - not_used: {channel: web}
stub_custom_actions:
  action_estimate: {events: []}
test_cases:
  - test_case: passes
    fixtures: [staff]
    steps:
      - user: hours
        metadata: app
      - utter: utter_hours
  - test_case: fails
    steps:
      - user: fix
      - utter: utter_hours
  - test_case: says nothing
    steps:
      - user: mumble
  - test_case: breaks
    steps:
      - user: fix
      - utter: utter_ask_part
      - user: boom
      - bot: Something.
  - test_case: invents a flow
    steps:
      - user: odd
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_workshop(tmp_path / "bot")
    (tmp_path / "gen.py").write_text(GENERATOR, encoding="utf-8")
    for part in ("a", "b"):
        (tmp_path / "e2e" / part).mkdir(parents=True)
        (tmp_path / "e2e" / part / "same.yml").write_text(CASES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "gen", raising=False)
    return tmp_path


OPTIONS = ("--assistant", "bot", "-g", "gen:generate")


@pytest.fixture
def convert(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    return lambda *arguments: Caller(capsys)("convert", "e2e", *arguments, *OPTIONS)


def test_passed_cases_are_ready_and_the_others_to_review(
    folder: Path, convert: Callable[..., Answer]
) -> None:
    result = convert("e2e", "--output-folder", "out")
    assert result.code == 0, result.err
    assert result.out == "2 cases are ready, 8 to review; 4 files in out\n"
    ready, review = load_suite([folder / "out" / "ready"]), load_suite([folder / "out" / "to_review"])
    assert [case.name for case in ready] == ["passes", "passes"]
    assert [case.name for case in review][:4] == ["fails", "says nothing", "breaks", "invents a flow"]


def test_equal_names_in_different_folders_are_kept_apart(
    folder: Path, convert: Callable[..., Answer]
) -> None:
    convert("e2e", "--output-folder", "out")
    files = sorted(path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*.yml"))
    assert files == ["ready/a/same.yml", "ready/b/same.yml", "to_review/a/same.yml", "to_review/b/same.yml"]


def test_a_ready_file_holds_commands_bot_steps_and_only_what_is_used(
    folder: Path, convert: Callable[..., Answer]
) -> None:
    convert("e2e/a", "--output-folder", "out")
    assert (folder / "out" / "ready" / "same.yml").read_text(encoding="utf-8") == (
        "fixtures:\n- staff:\n  - is_staff: true\n\nmetadata:\n- app:\n    channel: app\n\n"
        "test_cases:\n  - test_case: passes\n    fixtures:\n    - staff\n    steps:\n"
        "    - user: hours\n      commands:\n      - StartFlow(hours)\n      metadata: app\n"
        "    - utter: utter_hours\n    - utter: utter_can_do_something_else\n"
    )


def test_a_case_to_review_says_why_and_ends_before_turns_that_did_not_run(
    folder: Path, convert: Callable[..., Answer]
) -> None:
    convert("e2e/a/same.yml", "--output-folder", "out")
    text = (folder / "out" / "to_review" / "same.yml").read_text(encoding="utf-8")
    assert "# to review: the end-to-end test failed\n" in text
    assert "expected: the bot says utter_hours" in text
    assert "'mumble' led to no command" in text
    assert "it did not run to the end" in text
    assert "StartFlow(no_such_flow) is left out" in text
    breaks = next(case for case in load_suite([folder / "out" / "to_review"]) if case.name == "breaks")
    assert [getattr(step, "text", None) for step in breaks.steps] == ["fix", None]
    assert "the user steps from line 27 on did not run and are left out" in text
    assert "commands: []" not in text.split("breaks")[1].split("test_case")[0]
    assert breaks.stubs.keys() == {"action_estimate"}


def test_files_that_exist_are_not_written_over(folder: Path, convert: Callable[..., Answer]) -> None:
    convert("e2e", "--output-folder", "out")
    again = convert("e2e", "--output-folder", "out")
    assert again.code == 2
    assert "--force" in again.err
    assert convert("e2e", "--output-folder", "out", "--force").code == 0


def test_the_script_writes_into_the_documented_folder(folder: Path) -> None:
    file = PROJECT / "scripts" / "convert_e2e_tests_to_du_tests.py"
    subprocess.run([sys.executable, str(file), "e2e", *OPTIONS], cwd=folder, check=True, timeout=120)
    assert (folder / "dialogue_understanding_tests" / "ready" / "a" / "same.yml").is_file()
