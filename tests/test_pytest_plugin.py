"""Suites run under pytest, one item for each case."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """\
test_cases:
  - test_case: says hello
    steps:
      - user: hello
        commands: [ChitChat()]
  - test_case: stops it
    steps:
      - user: stop
        commands: [CancelFlow()]
"""
MODULE = "def answer(request):\n    return 'ChitChat()'\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite.yml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "other.yml").write_text("a: 1\n", encoding="utf-8")
    (tmp_path / "bot.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n", encoding="utf-8")
    return tmp_path


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--du-eval-generator", "bot:answer"]
    return subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_each_case_is_an_item_with_the_name_file_and_case(folder: Path) -> None:
    done = pytest_in(folder, "--collect-only", "-q")
    assert "suite.yml::says hello" in done.stdout
    assert "suite.yml::stops it" in done.stdout
    assert "2 tests collected" in done.stdout


def test_a_failure_shows_commands_and_no_traceback(folder: Path) -> None:
    done = pytest_in(folder, "-q")
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "expected : CancelFlow()" in done.stdout
    assert "predicted: ChitChat()" in done.stdout
    assert "Traceback" not in done.stdout
    assert "\nsuite.yml:8: 'stop'" in done.stdout


def test_files_with_alternatives_or_in_flow_style_are_collected_too(folder: Path) -> None:
    either = "test_cases:\n  - test_case: either\n    steps:\n      - {user: hello, any_of: [[ChitChat()], [CancelFlow()]]}\n"
    (folder / "either.yml").write_text(either, encoding="utf-8")
    (folder / "e2e.yml").write_text(
        "test_cases:\n  - test_case: a\n    steps:\n      - user: hi\n", encoding="utf-8"
    )
    done = pytest_in(folder, "-q", "-k", "either")
    assert "1 passed, 2 deselected" in done.stdout, done.stdout


def test_a_case_for_which_no_call_was_left_fails_with_that_reason(folder: Path) -> None:
    (folder / "du-eval.yaml").write_text("test:\n  max_calls: 1\n", encoding="utf-8")
    done = pytest_in(folder, "-q")
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "stops it - the budget of 1 call is used up (--max-calls)" in done.stdout


def test_cases_are_chosen_with_k(folder: Path) -> None:
    assert "1 passed, 1 deselected" in pytest_in(folder, "-q", "-k", "hello").stdout


def test_cases_are_spread_over_processes(folder: Path) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    assert "1 failed, 1 passed" in pytest_in(folder, "-q", "-n", "2").stdout


def test_a_file_that_cannot_be_used_is_an_error_with_its_line(folder: Path) -> None:
    (folder / "suite.yml").write_text(SUITE.replace("CancelFlow()", "CancleFlow()"), encoding="utf-8")
    done = pytest_in(folder, "-q")
    assert "suite.yml:9" in done.stdout
    assert "Cancel" in done.stdout


def test_the_plugin_can_be_turned_off(folder: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:du_eval"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "no tests" in done.stdout
