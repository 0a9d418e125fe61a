"""`du-eval verify`: any change of a kept run shows, and its report follows from its answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from du_eval.errors import ReportError
from tests.cli.calling import Answer, Caller

FAILING = """\
class Bot:
    def get_response(self, conv_array):
        if len(conv_array) == 5:
            raise OSError("gone")
        return "I see."
"""
CASES = Path(__file__).parents[2] / "dialogue_understanding_tests/pizza/cancellations"


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", str(tmp_path / "config"))
    shutil.copytree(CASES, tmp_path / "suite")
    assistant = CASES.parents[2] / "examples" / "pizza"
    ask = Caller(capsys)
    ask("test", "suite", "--assistant", str(assistant), "--no-output", "-q")
    return ask


def folder() -> Path:
    return next(Path(".du-eval/runs").glob("*/manifest.json")).parent


def states(answer: Answer) -> dict[str, bool | None]:
    return {one["name"]: one["holds"] for one in json.loads(answer.out)["findings"]}


def change(name: str, old: str, new: str) -> None:
    path = folder() / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_run_as_it_was_written_holds(call):
    answer = call("verify")
    assert answer.code == 0, answer.out + answer.err
    assert "14 lines, none changed, added or left out" in answer.out
    assert "14 results and" in answer.out


@pytest.mark.parametrize(
    ("tamper", "holds"),
    [
        (lambda lines: lines[:-1], False),
        (lambda lines: lines[1:], False),
        (lambda lines: [*lines[:3], *lines[4:]], False),
        (lambda lines: [lines[1], lines[0], *lines[2:]], False),
        (lambda lines: [*lines, lines[-1]], False),
        (lambda lines: [line.replace(b"passed", b"failed") for line in lines], False),
        (lambda lines: [line.partition(b',"chain"')[0] + b"}\n" for line in lines], False),
        (lambda lines: [*lines, b'{"torn'], True),
    ],
)
def test_a_journal_that_was_tampered_with_shows(call, tamper, holds):
    journal = folder() / "journal.jsonl"
    journal.write_bytes(b"".join(tamper(journal.read_bytes().splitlines(keepends=True))))
    answer = call("verify", "--json")
    assert states(answer)["answers"] is holds
    assert answer.code == (0 if holds else 1)


def test_a_changed_report_shows_although_its_hash_was_changed_with_it(call):
    from du_eval.runs.manifest import hash_file

    before = json.loads((folder() / "manifest.json").read_text(encoding="utf-8"))["report"]
    change("run.json", '"outcome":"passed"', '"outcome":"failed"')
    path = folder() / "run.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["figures"][0]["measured"]["value"] = 0.25
    path.write_text(json.dumps(data), encoding="utf-8")
    assert states(call("verify", "--json"))["report"] is False
    change("manifest.json", before, hash_file(path))
    found = states(call("verify", "--json"))
    assert found["report"] is True
    assert found["verdicts"] is False
    assert found["seal"] is None


def test_what_a_run_was_about_cannot_be_changed_afterwards(call):
    change("manifest.json", '"subject": "', '"subject": "better ')
    assert states(call("verify", "--json"))["answers"] is False


def test_a_fingerprint_that_was_noted_elsewhere_stands_for_the_seal(call, monkeypatch, tmp_path):
    noted = json.loads(call("verify", "--json").out)["fingerprint"]
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", str(tmp_path / "of another user"))
    stranger = call("verify", "--json")
    assert (stranger.code, states(stranger)["seal"]) == (3, None)
    assert call("verify", "--expect", noted, "--json").code in {0, 3}
    assert states(call("verify", "--expect", noted, "--json"))["fingerprint"] is True
    assert states(call("verify", "--expect", "0" * 64, "--json"))["fingerprint"] is False
    assert states(call("verify", "--expect", noted[:4], "--json"))["fingerprint"] is False


def test_a_changed_suite_leaves_the_verdicts_unknown(call):
    file = next(Path("suite").glob("*.yml"))
    file.write_text(file.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    found = call("verify", "--json")
    assert found.code == 3
    assert (states(found)["files"], states(found)["verdicts"]) == (None, None)


def test_a_run_that_goes_on_keeps_one_chain(call):
    lines = (folder() / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder() / "journal.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:20])
    assert call("test", "--resume", "last", "-q", "--no-output").code in {0, 1}
    assert states(call("verify", "--json")) == dict.fromkeys(
        ("answers", "report", "seal", "files", "verdicts"), True
    )


def test_a_run_without_a_report_is_told(call):
    (folder() / "run.json").unlink()
    answer = call("verify")
    assert answer.code == 2
    assert "has not ended" in answer.err


@pytest.fixture
def measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", str(tmp_path / "config"))
    Path("said.txt").write_text("hello there\ngood morning to you\n")
    Path("mine.py").write_text("open('loaded', 'w')\nfrom du_eval.corpus.diversity import *\n")
    return Caller(capsys)


def test_metrics_are_computed_again_from_the_files_of_the_run(measured):
    measured("metrics", "said.txt", "--metrics", "distinct-1,length", "-q")
    assert states(measured("verify", "--json")) == dict.fromkeys(
        ("answers", "report", "seal", "files", "verdicts"), True
    )
    Path("said.txt").write_text("something else\n")
    answer = measured("verify", "--json")
    assert (states(answer)["files"], states(answer)["verdicts"]) == (None, None)


def test_assessed_conversations_are_assessed_again(measured):
    Path("talk.txt").write_text("Hi\nHello\nWho are you?\nA bot\n")
    measured("quality", "assess", "talk.txt")
    assert states(measured("verify", "--json"))["verdicts"] is True


@pytest.mark.parametrize("words", ["quality run bot.yaml --conversations 1", "protocol run --bot bot.yaml"])
def test_a_reply_that_never_came_follows_from_the_journal(measured, monkeypatch, words):
    monkeypatch.syspath_prepend(".")
    Path("failing.py").write_text(FAILING)
    bot = {"type": "function", "class": "failing.Bot"}
    Path("bot.yaml").write_text(json.dumps({"bot": bot}))
    measured(*words.split())
    assert '"outcome":"error"' in (folder() / "journal.jsonl").read_text()
    assert states(measured("verify", "--json"))["verdicts"] is True


def test_assessments_and_metrics_are_shown_even_where_the_disk_is_full(measured, monkeypatch):
    def write(*_):
        raise ReportError("run.json cannot be written: the disk is full")

    Path("talk.txt").write_text("Hi\nHello\nWho are you?\nA bot\n")
    monkeypatch.setattr("du_eval.runs.store.write_run", write)
    for words in (("quality", "assess", "talk.txt"), ("metrics", "said.txt", "--metrics", "length")):
        answer = measured(*words)
        assert (answer.code, "the disk is full" in answer.err) == (4, True)
        assert "2 replies" in answer.out or "length" in answer.out


def test_metrics_need_no_home(measured, monkeypatch):
    def find(*_, **__):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("platformdirs.user_cache_dir", find)
    assert measured("metrics", "said.txt", "--metrics", "length", "-q").code == 0


def test_a_run_from_elsewhere_brings_no_code_to_verify(measured, monkeypatch):
    measured("metrics", "said.txt", "--metrics", "distinct-1", "-q")
    change("manifest.json", '"distinct-1"', '"mine:Anything"')
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", "other")
    monkeypatch.syspath_prepend(".")
    assert states(measured("verify", "--json"))["verdicts"] is None
    assert not Path("loaded").exists()


def test_metrics_are_refused_before_anything_is_computed_where_runs_cannot_be_kept(measured):
    Path("taken").write_text("")
    answer = measured("metrics", "said.txt", "--metrics", "length", "--runs-dir", "taken")
    assert (answer.code, answer.out) == (2, "")
    assert "must be a folder" in answer.err


def test_a_run_with_half_characters_in_its_errors_holds(call):
    Path("half.py").write_text("def f(request):\n    raise OSError('gone \\ud800')\n", encoding="utf-8")
    call("test", "suite", "-g", "half:f", "--no-output", "-q")
    answer = call("verify")  # the journal holds half a character, and the report cannot
    assert answer.code == 0, answer.out + answer.err
