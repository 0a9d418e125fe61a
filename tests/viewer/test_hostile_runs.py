"""Runs that somebody else wrote, in a real browser: their texts are shown, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from du_eval.assembly.activities import Kinds
from du_eval.runs.manifest import Manifest
from du_eval.runs.report import write_run
from tests.reports.browsing import Browser
from tests.reports.test_hostile_text import HOSTILE, RAW, spoil
from tests.viewer.serving import viewing

KINDS = Kinds()
ACTIVITIES = ("test", "e2e", "agent", "quality", "protocol", "metrics")
WHEN = "2026-01-01T00:00:00+00:00"
TEXT = " ".join(HOSTILE)
OPEN_ALL = (
    "[...document.querySelectorAll('.open, details, summary')].slice(0, 60).forEach((one) => one.click())"
)
SHOWN = (
    "document.body.innerText + [...document.querySelectorAll('*')].map((one) => one.title || '').join('\\n')"
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a folder with a hostile run of each activity, twice, and its notes."""
    for number, activity in enumerate((*ACTIVITIES, *ACTIVITIES)):
        folder = tmp_path / f"20260101-0000{number:02}-000-<img src=x onerror=window.PWNED=1>"
        folder.mkdir()
        run = spoil(activity, TEXT).run
        write_run(folder / "run.json", run, KINDS[activity])
        facts = Manifest(folder.name, activity, TEXT, {TEXT: TEXT}, (TEXT,), started=WHEN).sum_up(run)
        written = replace(facts, label=TEXT, figures={TEXT: 0.5}, headline=(TEXT,)).to_json()
        (folder / "manifest.json").write_text(written, encoding="utf-8", errors="replace")
        notes = {case.id: {"note": TEXT, "thumb": TEXT} for case in run.cases}
        (folder / "notes.json").write_text(json.dumps(notes), encoding="utf-8")
    return tmp_path


def check(browser: Browser, own: str) -> None:
    browser.wait_for("document.querySelector('h1').textContent")
    browser.value(OPEN_ALL)
    assert browser.value("window.PWNED || null") is None
    assert not RAW.search(browser.value(SHOWN))
    assert [url for url in browser.requests if own not in url] == []
    assert browser.complaints == [], browser.value("document.body.innerText.slice(0, 1500)")


def test_texts_of_hostile_runs_are_shown_and_nothing_else(browser: Browser, hostile: Path) -> None:
    names = sorted(folder.name for folder in hostile.iterdir())
    with viewing(hostile) as access:
        own = f"127.0.0.1:{access.port}/"
        browser.open(access.address)
        browser.wait_for("document.querySelectorAll('.runs tbody tr').length === 12")
        check(browser, own)
        for name, other in zip(names, names[6:], strict=False):
            for path in (f"/run/{name}", f"/compare/{name}/{other}"):
                browser.open(access.make_address(path))
                check(browser, own)
