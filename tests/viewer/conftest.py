"""Fixtures for tests of the viewer: a project with kept runs, a viewer, a browser."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from du_eval.viewer.access import Access
from tests.cli.calling import Caller
from tests.reports.browsing import Browser, browsing
from tests.suites.writing import FIRST_EXAMPLE
from tests.viewer.serving import viewing

MODULE = """\
GOLD = {
    "please note down a new friend": "StartFlow(add_contact)",
    "mine is @adale": "SetSlot(handle, @adale)",
    "simply Ada": "SetSlot(name, Ada)",
}


def good(request):
    return GOLD[request.message].replace("Ada)", "Adal)")


def poor(request):
    return GOLD[request.message].replace("handle", "name")
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file."""
    with browsing() as found:
        yield found


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Caller:
    """Return a way to call du-eval."""
    return Caller(capsys)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a fresh folder with a suite and two generators."""
    (tmp_path / "suite.yml").write_text(FIRST_EXAMPLE, encoding="utf-8")
    (tmp_path / "my_bots.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    yield tmp_path
    sys.path[:] = before
    sys.modules.pop("my_bots", None)


@pytest.fixture
def kept(project: Path, call: Caller) -> Path:
    """Return the folder of a project that has two kept runs."""
    call("test", "suite.yml", "-g", "my_bots:poor", "--label", "first try", "-q")
    call("test", "suite.yml", "-g", "my_bots:good", "--label", "second <b>try", "-q")
    return project / ".du-eval" / "runs"


@pytest.fixture
def viewer(kept: Path) -> Iterator[Access]:
    """Return the access to a viewer of the two runs."""
    with viewing(kept) as access:
        yield access
