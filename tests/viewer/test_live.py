"""Results appear in the viewer while a run goes on."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

from du_eval.runs.journal import Record
from du_eval.runs.keeping import Opening, OpenRun, open_run
from du_eval.runs.record import Key
from du_eval.runs.store import RunStore
from du_eval.viewer.access import Access
from du_eval.viewer.library import Library
from du_eval.viewer.live import Live, Tail
from du_eval.viewer.server import Pages
from tests.cli.calling import Caller
from tests.reports.browsing import Browser
from tests.viewer.serving import viewing


def begin(project: Path) -> OpenRun:
    settings = {"paths": ["suite.yml"], "generator": "my_bots:good"}
    case = "suite.yml::user_notes_down_a_friend"
    opening = Opening("test", "good", ("suite.yml",), (case,), settings, label="going on", steps=3)
    return open_run(RunStore(project / ".du-eval" / "runs"), opening)


def record(step: int, outcome: str) -> Record:
    key = Key("suite.yml", "user_notes_down_a_friend", step)
    return Record(key, "", {"text": f"answer <i>{step}</i>"}, outcome=outcome)


def test_counts_and_failures_come_while_the_run_goes_on(browser: Browser, project: Path) -> None:
    opened = begin(project)
    with viewing(project / ".du-eval" / "runs") as access:
        opened.journal.append(record(1, "passed"))
        browser.open(access.make_address(f"/run/{opened.stored.id}"))
        status = "document.querySelector('#live [role=status]')"
        browser.wait_for(f"{status} && {status}.textContent === '1 of 3 answers: 1 passed'")
        opened.journal.append(record(2, "failed"))
        browser.wait_for(f"{status}.textContent === '2 of 3 answers: 1 passed, 1 failed'")
        assert "answer <i>2</i>" in browser.value("document.querySelector('.latest').innerText")
        assert browser.find_barriers() == []
        opened.journal.close()
        browser.wait_for("!document.querySelector('#live')")
        assert browser.complaints == []


def test_the_list_shows_new_runs_without_being_loaded_again(
    browser: Browser, project: Path, call: Caller
) -> None:
    with viewing(project / ".du-eval" / "runs") as access:
        browser.open(access.address)
        assert browser.value("document.querySelectorAll('.runs tbody tr').length") == 0
        call("test", "suite.yml", "-g", "my_bots:good", "-q")
        browser.wait_for("document.querySelectorAll('.runs tbody tr').length === 1")


def test_the_report_so_far_is_drawn_again_after_a_while(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = begin(project)
    pages = Pages(Library(RunStore(project / ".du-eval" / "runs")), Access(1))
    drawn = []
    for seconds in (100, 104, 106):
        opened.journal.append(record(len(drawn) + 1, "failed"))
        monkeypatch.setattr("du_eval.viewer.server.time.monotonic", lambda: seconds)  # noqa: B023 - at once
        drawn.append(pages.draw_run(opened.stored.id))
    opened.journal.close()
    assert drawn[0] == drawn[1] != drawn[2]
    monkeypatch.undo()


def test_a_page_that_takes_long_is_drawn_once_for_all_that_wait_for_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, clock, drawn = begin(project), [100.0], []
    pages = Pages(Library(RunStore(project / ".du-eval" / "runs")), Access(1))
    monkeypatch.setattr("du_eval.viewer.server.time.monotonic", lambda: clock[0])

    def draw() -> bytes:
        drawn.append(1)
        sleep(0.1)
        clock[0] += 60
        return b"page"

    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda _: pages._keep("run", (opened.stored.id,), draw), range(8))
        assert list(found) == [b"page"] * 8
    monkeypatch.undo()
    opened.journal.close()
    assert drawn == [1]


def test_many_pages_hear_the_same_and_the_journal_is_read_once(project: Path) -> None:
    opened = begin(project)
    opened.journal.append(record(1, "failed"))
    live, found = Live(Library(RunStore(project / ".du-eval" / "runs"))), []

    def find_out() -> int:
        found.append(1)
        return len(found)

    async def hear() -> list[object]:
        return await asyncio.gather(*(live._hear("run", find_out) for _ in range(50)))

    assert asyncio.run(hear()) == [1] * 50
    opened.journal.close()


def test_what_stands_in_an_answer_is_not_taken_for_the_outcome(tmp_path: Path) -> None:
    tail = Tail(tmp_path / "journal.jsonl")
    key = Key('"outcome":"failed"', "case", 1)
    tail.path.write_bytes(Record(key, "", {"outcome": "failed"}, outcome="passed").to_line())
    tail.read_on()
    assert tail.counts == {"passed": 1}


def test_a_line_that_is_not_whole_yet_waits(tmp_path: Path) -> None:
    tail = Tail(tmp_path / "journal.jsonl")
    line = record(1, "failed").to_line()
    tail.path.write_bytes(line + line[:20])
    tail.read_on()
    assert tail.counts == {"failed": 1}
    tail.path.write_bytes(line + line)
    tail.read_on()
    assert tail.counts == {"failed": 2}
