"""Where the asking happens: the event loop of a run."""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace

import pytest

from du_eval.runs.asking import run_loop


class FasterLoop(asyncio.SelectorEventLoop):
    """Stands in for the loop of a package."""


async def find_loop() -> str:
    return type(asyncio.get_running_loop()).__name__


def test_a_run_takes_the_faster_loop_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", SimpleNamespace(new_event_loop=FasterLoop))
    assert run_loop(find_loop()) == "FasterLoop"


def test_without_the_faster_loop_a_run_takes_that_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert run_loop(find_loop()) == asyncio.run(find_loop())
