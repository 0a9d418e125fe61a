"""Fixtures that many tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _without_outside_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep settings and colours of the caller's shell out of the tests."""
    for variable in list(os.environ):
        if variable.startswith("DU_EVAL_") and variable != "DU_EVAL_PARITY_DATA":
            monkeypatch.delenv(variable)
    for variable in ("FORCE_COLOR", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture(scope="session")
def parity_data() -> Path:
    """Return the folder with recorded behaviour of other systems."""
    folder = os.environ.get("DU_EVAL_PARITY_DATA")
    if not folder:
        pytest.skip("DU_EVAL_PARITY_DATA does not name a folder with recorded behaviour")
    return Path(folder)


@pytest.fixture
def project() -> Path:
    """Return the root of the project."""
    return PROJECT
