"""Calls of the command line, in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Caller


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Return a way to call du-eval."""
    monkeypatch.chdir(tmp_path)
    return Caller(capsys)
