"""Watching: files change, and only what is affected is asked again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from du_eval.cli.watching import is_suite_only, list_watched, take_stamps
from du_eval.settings.commands import TestSettings
from tests.cli.calling import Caller
from tests.reports.browsing import browsing
from tests.suites.writing import FIRST_EXAMPLE

BOT = """
from pathlib import Path

GOLD = {"please note": "StartFlow(add_contact)", "mine is @ad": "SetSlot(handle, @adale)", "simply": "SetSlot(name, Ada)"}


def answer(request):
    with Path("asked.txt").open("a") as file:
        file.write(request.message + "\\n")
    return next((text for start, text in GOLD.items() if request.message.startswith(start)), "CancelFlow()")


def shout(request):
    return answer(request).upper()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "a.yml").write_text(FIRST_EXAMPLE, encoding="utf-8")
    (tmp_path / "watched_bot.py").write_text(BOT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def calling(*words: str) -> Iterator[subprocess.Popen[str]]:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "du_eval.cli", *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        if process.stdout:
            process.stdout.close()


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.2)


def read_manifests(project: Path) -> list[dict[str, object]]:
    found = sorted((project / ".du-eval" / "runs").glob("*/manifest.json"))
    return [json.loads(file.read_text(encoding="utf-8")) for file in found]


def has_ended(project: Path, runs: int, accuracy: float) -> bool:
    try:
        found = read_manifests(project)
    except ValueError:
        return False
    figures = found[-1].get("figures") if found else None
    return (
        len(found) == runs
        and isinstance(figures, dict)
        and abs((figures.get("accuracy") or 0) - accuracy) < 0.01
    )


def test_a_changed_expectation_is_judged_and_a_changed_message_asked_again(project: Path) -> None:
    suite, asked = project / "suite" / "a.yml", project / "asked.txt"
    with calling("test", "suite", "-g", "watched_bot:answer", "--watch"):
        wait_for(lambda: has_ended(project, 1, 2 / 3))
        assert len(asked.read_text().splitlines()) == 3
        time.sleep(1.5)
        suite.write_text(FIRST_EXAMPLE.replace("Adal)", "Ada)"), encoding="utf-8")
        wait_for(lambda: has_ended(project, 1, 1.0))
        assert len(asked.read_text().splitlines()) == 3  # another expectation asks nobody
        time.sleep(1.5)
        suite.write_text(
            FIRST_EXAMPLE.replace("Adal)", "Ada)").replace("simply Ada", "simply call me Ada"),
            encoding="utf-8",
        )
        wait_for(lambda: len(asked.read_text().splitlines()) == 4)  # one message changed: one question


def test_all_arms_are_watched_and_each_is_asked_only_what_changed(project: Path) -> None:
    suite, asked = project / "suite" / "a.yml", project / "asked.txt"
    arms = ("-g", "watched_bot:answer", "-g", "watched_bot:shout")
    with calling("test", "suite", *arms, "--watch"):
        wait_for(lambda: has_ended(project, 3, 2 / 3))
        assert len(asked.read_text().splitlines()) == 6
        time.sleep(1.5)
        suite.write_text(FIRST_EXAMPLE.replace("simply Ada", "simply call me Ada"), encoding="utf-8")
        wait_for(lambda: len(asked.read_text().splitlines()) == 8)  # one message, two arms


def test_the_viewer_says_how_to_watch_an_experiment(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Caller(capsys)
    call("test", "suite", "-g", "watched_bot:answer", "-g", "watched_bot:shout", "-q")
    answer = call("view", "--watch")
    assert answer.code == 2
    assert "du-eval experiment FILE --watch" in answer.err


def test_the_viewer_tests_again_when_the_code_changes(project: Path) -> None:
    with calling("test", "suite", "-g", "watched_bot:answer", "-q") as first:
        first.wait(60)
    with browsing() as browser, calling("view", "--watch") as viewer:
        assert viewer.stdout is not None
        browser.open(viewer.stdout.readline().strip())
        browser.wait_for("document.querySelectorAll('.runs tbody tr').length === 1")
        time.sleep(1.5)
        (project / "watched_bot.py").write_text(BOT.replace("name, Ada)", "name, Adal)"), encoding="utf-8")
        browser.wait_for("document.querySelectorAll('.runs tbody tr').length === 2")
        browser.wait_for("document.querySelector('.runs tbody tr').innerText.includes('✓ 1 passed')")


def test_what_a_run_depends_on_is_watched(project: Path) -> None:
    (project / "p.jinja2").write_text("x", encoding="utf-8")
    config = TestSettings(paths=["suite"], prompt="p.jinja2", generator="watched_bot:answer")
    found = {path.name for path in take_stamps(list_watched([config]))}
    assert found == {"a.yml", "p.jinja2", "watched_bot.py"}
    (project / "q.jinja2").write_text("x", encoding="utf-8")
    arms = [config, config.model_copy(update={"prompt": "q.jinja2"})]
    assert {path.name for path in take_stamps(list_watched(arms))} == {*found, "q.jinja2"}
    assert is_suite_only([Path("suite/a.yml")], config)
    assert not is_suite_only([Path("suite/a.yml"), Path("p.jinja2")], config)
