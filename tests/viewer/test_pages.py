"""The list of runs, a run and two runs compared, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.runs.store import RunStore
from du_eval.viewer.access import Access
from du_eval.viewer.library import Library, UnknownRunError
from tests.cli.calling import Caller
from tests.reports.browsing import Browser
from tests.viewer.serving import viewing

SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
ROWS = "[...document.querySelectorAll('.runs tbody tr')].map((one) => one.innerText)"


def test_the_list_has_all_runs_the_newest_first(browser: Browser, viewer: Access) -> None:
    browser.open(viewer.address)
    rows = browser.value(ROWS)
    assert len(rows) == 2
    assert "second <b>try" in rows[0]
    assert "good" in rows[0]
    assert "✓ 1 passed" in rows[0]
    assert "accuracy 1" in rows[0]
    assert "first try" in rows[1]
    assert "✗ 1 failed" in rows[1]
    assert browser.complaints == []


def test_the_token_leaves_the_address(browser: Browser, viewer: Access) -> None:
    browser.open(viewer.address)
    assert browser.value("location.href") == f"http://127.0.0.1:{viewer.port}/"


def test_a_run_opens_on_the_page_of_reports(browser: Browser, viewer: Access) -> None:
    browser.open(viewer.address)
    browser.value("document.querySelector('.runs tbody tr:last-child a').click()")
    browser.wait_for("document.querySelector('.verdict')")
    assert browser.value("document.querySelector('h1').textContent") == "first try"
    assert "1 failed" in browser.value("document.querySelector('.verdict').textContent")
    assert browser.value("document.querySelectorAll('li.entry').length") == 2
    browser.value("document.querySelector('.back a').click()")
    browser.wait_for("document.querySelector('.runs')")


def test_two_chosen_runs_are_compared_the_older_one_first(browser: Browser, viewer: Access) -> None:
    browser.open(viewer.address)
    button = "document.querySelector('.filters button')"
    assert browser.value(f"{button}.disabled")
    for number in (1, 2):
        browser.value(f"document.querySelector('.runs tbody tr:nth-child({number}) input').click()")
    assert browser.value(f"{button}.textContent") == "compare the two"
    browser.value(f"{button}.click()")
    browser.wait_for("document.querySelector('.verdict')")
    assert "first try" in browser.value("document.getElementById('tabs').textContent")
    assert "Newly passing (2)" in browser.value("document.querySelector('main').textContent")


def test_the_list_is_searched_and_filtered(browser: Browser, viewer: Access) -> None:
    browser.open(viewer.address)
    browser.press("/")
    for letter in "first":
        browser.press(letter)
    assert len(browser.value(ROWS)) == 1
    assert browser.value("document.querySelector('[role=status]').textContent") == "1 of 2 runs"


def test_a_report_file_joins_the_list(browser: Browser, kept: Path, call: Caller) -> None:
    call("test", "suite.yml", "-g", "my_bots:poor", "--no-journal", "-q", "--output-file", "alone.json")
    with viewing(kept, {"alone": Path("alone.json")}) as access:
        browser.open(access.address)
        assert len(browser.value(ROWS)) == 3
        browser.open(access.make_address("/run/alone"))
        assert "1 failed" in browser.value("document.querySelector('.verdict').textContent")


def test_a_run_that_is_not_there_is_said_to_be_missing(browser: Browser, viewer: Access) -> None:
    browser.open(viewer.make_address("/run/nothing"))
    assert "there is no run 'nothing'" in browser.value("document.body.innerText")


def test_a_damaged_run_is_listed_with_the_reason(browser: Browser, kept: Path) -> None:
    (kept / "20200101-000000-000-dead").mkdir()
    (kept / "20200101-000000-000-dead" / "manifest.json").write_text("{", encoding="utf-8")
    with viewing(kept) as access:
        browser.open(access.address)
        assert "this is not the manifest of a run" in browser.value(ROWS)[-1]


def test_neither_a_damaged_report_nor_a_strange_name_hides_or_disguises_other_runs(kept: Path) -> None:
    strange = kept / "run\u202eknab"
    strange.mkdir()
    (strange / "manifest.json").write_text("[]", encoding="utf-8")
    Path("alone.json").write_text("{", encoding="utf-8")
    rows = Library(RunStore(kept), {"alone": Path("alone.json")}).list_rows()
    problems = {row["label"]: row["problem"] for row in rows if isinstance(row, dict) and "problem" in row}
    assert (len(rows), list(problems)) == (4, ["run\\u202eknab", "alone"])
    assert "this is not JSON" in str(problems["alone"])


def test_a_run_that_is_removed_meanwhile_is_said_to_be_missing(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(RunStore(kept))
    monkeypatch.setattr(Library, "_folders", lambda _: [kept / "gone"])
    assert "was removed" in str(library.list_rows())
    with pytest.raises(UnknownRunError, match="was removed"):
        library.find("gone")


def test_nobody_but_the_viewer_is_asked(browser: Browser, viewer: Access) -> None:
    browser.open(viewer.address)
    browser.value("document.querySelector('.runs tbody a').click()")
    browser.wait_for("document.querySelector('.verdict')")
    own = f"127.0.0.1:{viewer.port}/"
    assert [url for url in browser.requests if own not in url] == []


@pytest.mark.parametrize(("width", "is_dark"), [(1200, False), (1200, True), (390, False)])
def test_axe_finds_no_barrier(width: int, is_dark: bool, browser: Browser, viewer: Access) -> None:
    browser.look(width, is_dark=is_dark)
    for path in ("/", *_paths(browser, viewer)):
        browser.open(viewer.make_address(path))
        if path.startswith("/run/"):  # with a step, its notes and the edit of an expectation open
            browser.value("document.querySelector('li.entry .open').click()")
            browser.value("document.querySelector('[data-how=replace]').click()")
            browser.wait_for("document.querySelector('.edit')")
        assert browser.find_barriers() == [], path
        assert browser.value(SIDEWAYS) <= 0
    browser.look(1200)


def _paths(browser: Browser, viewer: Access) -> list[str]:
    browser.open(viewer.address)
    links = browser.value("[...document.querySelectorAll('.runs a')].map((one) => one.pathname)")
    one, other = (link.removeprefix("/run/") for link in links)
    return [f"/run/{other}", f"/compare/{other}/{one}"]
