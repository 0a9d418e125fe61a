"""Reports for people and build servers, from the command line."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.calling import Caller

ARGUMENTS = ("test", "seed.yml", "-g", "my_module:swapped", "--no-output", "-q")


def test_junit_has_a_case_each_with_its_file_and_line(work: Path, call: Caller) -> None:
    assert call(*ARGUMENTS, "--junitxml", "out/junit.xml").code == 1
    (suite,) = ET.parse("out/junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    (case,) = suite
    assert case.get("file") == "seed.yml"
    (failure,) = case
    assert "expected : SetSlot(handle, @adale)" in (failure.text or "")


def test_a_crash_is_an_error_in_junit(work: Path, call: Caller) -> None:
    call("test", "seed.yml", "-g", "my_module:every_third", "--no-output", "-q", "--junitxml", "j.xml")
    (suite,) = ET.parse("j.xml").getroot()
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")


def test_characters_that_xml_does_not_have_are_replaced(work: Path, call: Caller) -> None:
    text = Path("seed.yml").read_text(encoding="utf-8").replace("mine is @adale", "bell")
    Path("seed.yml").write_text(text.replace("bell", '"bell \\a"'), encoding="utf-8")
    call("test", "seed.yml", "-g", "my_module:talkative", "--no-output", "-q", "--junitxml", "j.xml")
    assert "bell \ufffd" in Path("j.xml").read_text(encoding="utf-8")
    ET.parse("j.xml")


def test_markdown_has_figures_and_failures(work: Path, call: Caller) -> None:
    call(*ARGUMENTS, "--markdown", "report.md")
    text = Path("report.md").read_text(encoding="utf-8")
    assert "0 of 1 test cases passed" in text.splitlines()[0]
    assert "| wrong slot, right value | 1 | 1 |" in text


def test_html_shows_what_changed_against_the_run_before(work: Path, call: Caller) -> None:
    call("test", "seed.yml", "-g", "my_module:perfect", "--no-output", "-q", "--label", "old prompt")
    call(*ARGUMENTS, "--html", "report.html", "--label", "new prompt")
    text = Path("report.html").read_text(encoding="utf-8")
    assert "old prompt → new prompt" in text


def test_a_page_of_kept_runs_and_reports_can_be_made_later(work: Path, call: Caller) -> None:
    call(*ARGUMENTS, "--label", "kept")
    assert call("report", "-o", "later.html").code == 0
    assert "kept" in Path("later.html").read_text(encoding="utf-8")
    assert call("report", "nothing", "-o", "later.html").code == 2


def test_a_report_that_cannot_be_written_is_said_and_is_exit_code_four(work: Path, call: Caller) -> None:
    Path("file").write_text("", encoding="utf-8")
    answer = call("test", "seed.yml", "-g", "my_module:perfect", "--no-output", "-q", "--html", "file/x.html")
    assert answer.code == 4
    assert "could not be written" in answer.err


def test_github_gets_annotations_and_a_summary(
    work: Path, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(work / "summary.md"))
    answer = call(*ARGUMENTS)
    assert "::error file=seed.yml,line=8,title=" in answer.err
    assert "expected SetSlot(handle, @adale), predicted" in answer.err
    assert (work / "summary.md").read_text(encoding="utf-8").startswith("## ")
