"""What the process tells its caller at the end of a run."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from du_eval.cli.edge import ending_politely
from du_eval.cli.main import main
from du_eval.errors import ExitCode
from du_eval.reports.renderers.junit import describe_entry, list_lines
from du_eval.reports.sections import Entry
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Head, Key, Result, Run
from du_eval.runs.ruling import rule

P, F, U, E = Outcome.PASSED, Outcome.FAILED, Outcome.UNDECIDED, Outcome.ERRORED


def run_of(*outcomes: Outcome, decides: bool = True) -> Run[None, None]:
    cases = tuple(
        Case("a.yml", str(place), (Result(Key("a.yml", str(place), 1), one, None),))
        for place, one in enumerate(outcomes)
    )
    return Run(Head("test", "someone", decides=decides), cases, ())


@pytest.mark.parametrize(
    ("outcomes", "decides", "code"),
    [
        ((P, P), True, ExitCode.PASSED),
        ((P, F), True, ExitCode.FAILED),
        ((U, U), True, ExitCode.ERRORED),
        ((P, U), True, ExitCode.ERRORED),
        ((F, U), True, ExitCode.FAILED),
        ((P, F), False, ExitCode.PASSED),
        ((P, U), False, ExitCode.PASSED),
        ((U, U), False, ExitCode.ERRORED),
        ((), False, ExitCode.PASSED),
    ],
)
def test_nothing_passes_that_nobody_could_judge(
    outcomes: tuple[Outcome, ...], decides: bool, code: ExitCode
) -> None:
    assert rule(run_of(*outcomes, decides=decides)).code is code


def test_only_commands_are_predicted() -> None:
    entry = Entry("1", F, "a.yml:3", "c", "hello", "bot: hi", "bot: bye")
    assert describe_entry(entry) == "'hello': expected bot: hi, got bot: bye"
    assert list(list_lines(entry))[1:] == ["expected: bot: hi", "got     : bot: bye"]


def test_a_request_to_terminate_is_heard_even_where_ctrl_c_is_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt), ending_politely():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_working_directory_that_was_deleted_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SystemExit) as end:
        main(["runs", "ls"])
    assert end.value.code == 2
    assert capsys.readouterr().err == "error: the working directory: No such file or directory\n"
