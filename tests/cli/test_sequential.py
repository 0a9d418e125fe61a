"""Runs against a baseline stop as soon as the verdict is sound."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Caller
from tests.reading import read_file

MODULE = """\
def right(request):
    return "ChitChat()"


def wrong(request):
    return "CancelFlow()" if int(request.message.split()[1]) % 2 else "ChitChat()"
"""


@pytest.fixture
def long_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Caller) -> Path:
    """Work in a folder with two hundred cases and the run of a perfect generator."""
    cases = [
        f"  - test_case: case {n}\n    steps:\n      - user: message {n}\n        commands: [ChitChat()]\n"
        for n in range(200)
    ]
    (tmp_path / "suite.yml").write_text("test_cases:\n" + "".join(cases), encoding="utf-8")
    (tmp_path / "chatty.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    call("test", "suite.yml", "-g", "chatty:right", "--output-file", "base.json", "-q")
    return tmp_path


def asked(path: str) -> int:
    return sum(read_file(path)["steps"].values())


def test_a_run_that_is_worse_is_stopped_early_and_fails(long_suite: Path, call: Caller) -> None:
    arguments = ("test", "suite.yml", "-g", "chatty:wrong", "--against", "base.json", "--batch", "10")
    answer = call(*arguments, "--output-file", "worse.json", "-q")
    assert asked("worse.json") <= 60
    assert answer.code == 1
    assert "against base: regressed after" in answer.out
    assert "compared with the baseline: regressed" in answer.err


def test_an_equal_run_passes_and_says_so(long_suite: Path, call: Caller) -> None:
    arguments = ("test", "suite.yml", "-g", "chatty:right", "--against", "base.json", "--margin", "0.2")
    answer = call(*arguments, "--output-file", "equal.json", "-q")
    assert answer.code == 0
    assert "equivalent after" in answer.out
    assert asked("equal.json") < 200


def test_a_run_that_answers_everything_alike_is_equivalent_however_small_the_margin(
    long_suite: Path, call: Caller
) -> None:
    arguments = ("test", "suite.yml", "-g", "chatty:right", "--against", "base.json", "--margin", "0.001")
    answer = call(*arguments, "-q")
    assert answer.code == 0
    assert (
        "equivalent after 8 of 8 batches, 200 of 200 user steps (200 in both runs; no change)" in answer.out
    )


def test_a_baseline_that_does_not_exist_is_said_before_anything_is_asked(
    long_suite: Path, call: Caller
) -> None:
    assert call("test", "suite.yml", "-g", "chatty:right", "--against", "gone.json").code == 2


def test_a_run_with_errors_has_no_verdict_against_another_unless_they_are_allowed(
    long_suite: Path, call: Caller
) -> None:
    shaky = (
        "\n\ndef shaky(request):\n    assert int(request.message.split()[1]) != 7\n    return 'ChitChat()'\n"
    )
    (long_suite / "shaky_bot.py").write_text(shaky, encoding="utf-8")
    arguments = (
        "test",
        "suite.yml",
        "-g",
        "shaky_bot:shaky",
        "--against",
        "base.json",
        "--margin",
        "0.2",
        "-q",
    )
    told = call(*arguments, "--batch", "200")
    assert told.code == 3
    assert (
        "compared with the baseline: no verdict: 1 of 200 user steps errored (suite.yml::case 7)" in told.err
    )
    assert call(*arguments, "--batch", "200", "--max-errors", "0.005").code == 0


def test_a_run_that_its_budget_ended_counts_what_was_not_asked(long_suite: Path, call: Caller) -> None:
    arguments = ("test", "suite.yml", "-g", "chatty:right", "--against", "base.json", "--batch", "10")
    answer = call(*arguments, "--max-calls", "10", "-q")
    assert answer.code == 3
    assert "Not finished: 10 of 200 cases, stopped: the budget of 10 calls is used up" in answer.out


def test_a_baseline_that_is_not_complete_allows_no_verdict(long_suite: Path, call: Caller) -> None:
    call("test", "suite.yml", "-g", "chatty:right", "--max-calls", "60", "--label", "cut", "-q")
    arguments = ("test", "suite.yml", "-g", "chatty:right", "--against", "cut", "--max-errors", "1", "-q")
    answer = call(*arguments, "--junitxml", "junit.xml")
    assert answer.code == 3
    told = '<error type="gate" message="compared with the baseline: no verdict">'
    assert told in (long_suite / "junit.xml").read_text(encoding="utf-8")
    assert "against cut: no verdict" in answer.out
    assert "the baseline is not complete (60 of 200 cases, stopped" in answer.out


def test_a_suite_that_has_lost_steps_of_the_baseline_has_no_verdict_unless_that_is_allowed(
    long_suite: Path, call: Caller
) -> None:
    arguments = ("test", "suite.yml", "-g", "chatty:right", "--against", "base.json", "-k", "'case 1'", "-q")
    answer = call(*arguments)
    assert answer.code == 3
    assert "89 of 200 user steps of the baseline were not asked (suite.yml::case 0" in answer.out
    assert call(*arguments, "--max-errors", "0.5").code == 0


def test_a_baseline_about_something_else_allows_no_verdict(long_suite: Path, call: Caller) -> None:
    other = "test_cases:\n  - test_case: new\n    steps:\n      - user: hi\n        commands: [ChitChat()]\n"
    (long_suite / "other.yml").write_text(other, encoding="utf-8")
    answer = call(
        "test", "other.yml", "-g", "chatty:right", "--against", "base.json", "--max-errors", "1", "-q"
    )
    assert answer.code == 3
    assert "no user step is in both runs" in answer.out
