"""Fixtures for tests at the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.calling import Caller
from tests.suites.writing import FIRST_EXAMPLE

MODULE = '''\
from du_eval.commands import CancelFlow, Command


class TestCommand(Command):
    ...

    def to_dsl(self) -> str:
        """Converts the command to a DSL string."""
        return "Test()"

    @classmethod
    def from_dsl(cls, dsl: str) -> "TestCommand":
        return TestCommand()

    @staticmethod
    def regex_pattern() -> str:
        return r"Test\\(\\)"


class CustomCancelFlow(CancelFlow):
    def to_dsl(self) -> str:
        """Converts the command to a DSL string."""
        return "Cancel()"

    @staticmethod
    def regex_pattern() -> str:
        return r"Cancel\\(\\)"


GOLD = {
    "please note down a new friend": "StartFlow(add_contact)",
    "mine is @adale": "SetSlot(handle, @adale)",
    "simply Ada": "SetSlot(name, Adal)",
    "stop, and test": "Cancel()\\nTest()",
}


def perfect(request):
    return GOLD[request.message]


def swapped(request):
    return GOLD[request.message].replace("handle", "name")


def every_third(request):
    if request.place.step % 3 == 0:
        raise RuntimeError("the model is down")
    return GOLD[request.message]


def talkative(request):
    return GOLD[request.message] + "\\n[bold]I am[/bold] [red]sure"
'''


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Caller:
    """Return a way to call du-eval."""
    return Caller(capsys)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a fresh folder with the documented test case and a module of custom commands and generators."""
    (tmp_path / "seed.yml").write_text(FIRST_EXAMPLE, encoding="utf-8")
    (tmp_path / "my_module.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    yield tmp_path
    sys.path[:] = before
    sys.modules.pop("my_module", None)
