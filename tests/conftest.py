"""Fixtures that many tests share."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.skips import list_skips

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")  # how long a draw takes says more about the machine than about the code

STRICT_SKIPS = os.environ.get("STRICT_SKIPS") == "1"
MORE_SKIPS = os.environ.get("MORE_SKIPS", "")
PROJECT = Path(__file__).parent.parent
_TESTS = itertools.count()


@pytest.fixture(autouse=True)
def _without_outside_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep settings and colours of the caller's shell out of the tests, and the tests out of the user's folder."""
    for variable in list(os.environ):
        if variable.startswith("DU_EVAL_") and variable != "DU_EVAL_PARITY_DATA":
            monkeypatch.delenv(variable)
    monkeypatch.setenv("DU_EVAL_TRUST", "")  # --trust sets it for the process: undone after each test
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", str(tmp_path_factory.getbasetemp() / "config"))
    # A cache for each test: answers are kept by address, and a port of an earlier test may come again.
    monkeypatch.setenv("DU_EVAL_CACHE_DIR", str(tmp_path_factory.getbasetemp() / f"cache-{next(_TESTS)}"))
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


def pytest_sessionfinish(session: pytest.Session) -> None:
    """List skipped tests with their reasons, and fail where one is off the list: only where everything is checked."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not STRICT_SKIPS or reporter is None:
        return
    reports = reporter.stats.get("skipped", [])
    reasons = [report.longrepr[2].removeprefix("Skipped: ") for report in reports]
    lines, is_fine = list_skips(reasons, MORE_SKIPS)
    reporter.write_line("")
    reporter.section("skipped tests, by reason")
    for line in lines:
        reporter.write_line(line)
    if not is_fine and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
