"""Calls of the command line inside the test process."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from du_eval.cli.main import main


@dataclass(frozen=True)
class Answer:
    """What a call printed and returned."""

    code: int
    out: str
    err: str


class Caller:
    """Runs du-eval with arguments and collects what it says."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Answer:
        self._capsys.readouterr()
        code: object = 0
        try:
            main(list(arguments))
        except SystemExit as stop:
            code = stop.code
        out, err = self._capsys.readouterr()
        return Answer(int(str(code or 0)), out, err)
