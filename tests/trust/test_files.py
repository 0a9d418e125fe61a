"""Files for the user alone, whole or not at all; and text that no terminal obeys."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.errors import ReportError
from du_eval.llm.cache import AnswerCache
from du_eval.runs.journal import Journal, Record
from du_eval.runs.record import Key
from du_eval.trust.files import write_privately
from du_eval.trust.terminal import neutralise


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def answer(step: int, text: str = "x") -> Record:
    return Record(Key("f", "c", step), "r", {"text": text})


def test_new_files_and_folders_are_for_the_user_alone(tmp_path):
    path = tmp_path / "a" / "b" / "report.html"
    write_privately(path, [b"x", b"y"])
    assert path.read_bytes() == b"xy"
    assert (rights(path), rights(path.parent), rights(tmp_path / "a")) == (0o600, 0o700, 0o700)


def test_a_file_that_exists_keeps_its_rights(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    path.chmod(0o644)
    write_privately(path, [b"new"])
    assert (path.read_bytes(), rights(path)) == (b"new", 0o644)


def test_what_fails_in_the_middle_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")

    def pieces():
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_privately(path, pieces())
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
    assert path.read_text() == "old"


def test_caches_are_for_the_user_alone_and_damaged_answers_are_asked_for_again(tmp_path):
    cache = AnswerCache(tmp_path / "cache")
    assert (rights(cache.path), rights(cache.path.parent)) == (0o600, 0o700)
    cache.put("k", "m", {"text": "x"})
    assert cache.get("k") == {"text": "x"}
    for damaged in ("{oops", "[1]", "9" * 5000):
        cache._database.execute("UPDATE answers SET answer = ?", (damaged,))
        assert cache.get("k") is None
    cache.close()


def test_a_journal_that_is_deleted_meanwhile_is_written_again(tmp_path):
    journal = Journal.opened(tmp_path / "run" / "journal.jsonl", writing=True)
    journal.append(answer(1))
    shutil.rmtree(tmp_path / "run")
    journal.append(answer(2))
    assert journal.find(Key("f", "c", 1), "r") == answer(1)
    journal.close()
    with closing(Journal.opened(tmp_path / "run" / "journal.jsonl", writing=False)) as again:
        assert list(again.records()) == [answer(1), answer(2)]
        assert not again.chain.broken
    assert rights(tmp_path / "run" / "journal.jsonl") == 0o600


def test_a_full_disk_ends_a_journal_with_whole_lines_and_an_unbroken_chain(tmp_path):
    path = tmp_path / "journal.jsonl"
    journal = Journal.opened(path, writing=True)
    journal.append(answer(1))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, before[1]))
    try:
        with pytest.raises(ReportError, match="cannot be written"):
            journal.append(answer(2, "long" * 1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    journal.append(answer(3))
    journal.close()
    with closing(Journal.opened(path, writing=False)) as again:
        assert (list(again.records()), again.torn, again.chain.broken) == ([answer(1), answer(3)], 0, [])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07", "\\u001b]0;owned\\u0007"),
        ("a\x9b2Jb\x7f", "a\\u009b2Jb\\u007f"),
        ("abc\u202edcba\u2066x\u2069", "abc\\u202edcba\\u2066x\\u2069"),
        ("over\rwritten", "over\\u000dwritten"),
        ("a\nb\tc é 語 👩\u200d🚀", "a\nb\tc é 語 👩\u200d🚀"),
        ("\U000e0041", "\\udb40\\udc41"),
        ("pay\u200bpal\u00ad\u2062", "pay\\u200bpal\\u00ad\\u2062"),
        ("a\n  ::add-mask::b", "a\n  \\u003a:add-mask::b"),
        ("a ##[error]b", "a \\u0023#[error]b"),
        ("suite.yml::case, a::b\n# c\n## d [e]", "suite.yml::case, a::b\n# c\n## d [e]"),
    ],
)
def test_what_would_steer_a_terminal_is_spelled_out(text, shown):
    assert neutralise(text) == shown


def test_only_our_own_reports_have_colours():
    assert neutralise("\x1b[1;31mred\x1b[0m") == "\\u001b[1;31mred\\u001b[0m"
    assert neutralise("\x1b[1;31mred\x1b[0m\x1b[2J", is_styled=True) == "\x1b[1;31mred\x1b[0m\\u001b[2J"


@given(st.text())
def test_json_means_the_same_when_it_is_neutralised(text):
    assert json.loads(neutralise(json.dumps(text, ensure_ascii=False))) == text


def test_an_interruption_while_the_program_is_loaded_leaves_no_traceback(tmp_path):
    (tmp_path / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    found = subprocess.run(
        [sys.executable, "-m", "du_eval.cli", "runs", "ls"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (found.returncode, found.stderr) == (-signal.SIGINT, "")
