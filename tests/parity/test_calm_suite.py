"""A real public suite of another author: its one mistake is found, and the rest runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Caller
from tests.reading import read_run

pytestmark = pytest.mark.parity

INVALID = "user tries to skip a question and then cancels the flow (hard)"
FIRST_MARK = 0.45


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(capsys)


def test_the_invalid_expectation_is_reported_with_file_and_line(call: Caller, parity_data: Path) -> None:
    bot = parity_data / "calm" / "rasa-calm-demo"
    answer = call("test", str(bot / "dialogue_understanding_tests"), "--assistant", str(bot))
    assert answer.code == 2
    (line,) = answer.err.splitlines()
    assert "user_tries_to_skip_a_question_and_then_cancels_the_flow_hard.yml:16:" in line
    assert "'Cancel()'" in line
    assert "did you mean 'CancelFlow'?" in line


def test_without_it_the_suite_runs_and_the_baseline_understands_most_steps(
    call: Caller, parity_data: Path
) -> None:
    bot = parity_data / "calm" / "rasa-calm-demo"
    answer = call(
        "test",
        str(bot / "dialogue_understanding_tests"),
        "--assistant",
        str(bot),
        "--deselect",
        INVALID,
        "--json",
        "--no-output",
    )
    assert answer.code == 1, answer.err
    data = read_run(answer.out)
    assert sum(data["cases"].values()) == 85
    assert sum(data["steps"].values()) == 339
    assert data["figures"]["accuracy"] > FIRST_MARK
