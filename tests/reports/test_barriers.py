"""Axe-core finds no barrier on the page of any activity, of a comparison or of an experiment."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reports.browsing import Browser, browsing

GOLDEN = Path(__file__).parents[1] / "golden"
_TEST = "test suite --assistant assistant -q"
COMMANDS = (
    f"{_TEST} -g recorded:recorded.jsonl --html test.html -o first.json",
    f"{_TEST} -g recorded:better.jsonl -o second.json",
    "report first.json second.json -o compare.html",
    f"{_TEST} -g recorded:recorded.jsonl -g recorded:better.jsonl --html experiment.html",
    "e2e e2e --assistant assistant -g answers:understand --html e2e.html",
    "quality run quality/bot.yaml --folder bot --html quality.html",
    "protocol run --language protocol/en.yml --dialogues 2 --bot protocol/bot.yaml --html protocol.html",
    "agent agents -n 1 --html agent.html",
    "metrics corpus/responses --source corpus/source.txt --target corpus/target.txt --html metrics.html",
)
PAGES = ("test", "compare", "experiment", "e2e", "quality", "protocol", "agent", "metrics")
LOOKS = ((1200, False), (1200, True), (390, False))
OPEN_SOME = """
document.querySelectorAll('details').forEach((one) => { one.open = true; });
[...document.querySelectorAll('li.entry .open, tr.step .open')].slice(0, 3).forEach((one) => one.click());
"""
TABS = "document.querySelectorAll('#tabs button')"
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all pages."""
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Path:
    """Return a folder with all pages; without a browser, none is made."""
    del browser
    project = tmp_path_factory.mktemp("pages") / "project"
    shutil.copytree(GOLDEN / "project", project)
    commands = json.dumps([shlex.split(command) for command in COMMANDS])
    script = [sys.executable, str(GOLDEN / "typing_commands.py"), commands]
    done = subprocess.run(script, cwd=project, capture_output=True, text=True, check=True, timeout=900)
    answers = json.loads(done.stdout)
    assert [code for code, _, _ in answers if code not in {0, 1, 3}] == [], answers
    return project


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_barrier(name: str, folder: Path, browser: Browser) -> None:
    browser.open(folder / f"{name}.html")
    browser.value(OPEN_SOME)
    for width, is_dark in LOOKS:
        browser.look(width, is_dark=is_dark)
        for number in range(browser.value(f"{TABS}.length") or 1):
            browser.value(f"{TABS}[{number}]?.click()")
            assert browser.find_barriers() == []
            assert browser.value(SIDEWAYS) <= 0
    assert browser.complaints == []
