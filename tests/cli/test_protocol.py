"""The persona protocol as a user runs it: kept, killed, gone on with, interrupted, judged by hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.calling import Caller
from tests.reading import read_protocol

BOT = '''
import os, pathlib, time

class Slow:
    """Answers with what it hears; counts its calls, and is slow, gone or silent on request."""

    def get_response(self, conv_array):
        text = conv_array[-1]
        with pathlib.Path("calls.txt").open("a") as file:
            file.write(text + "\\n")
        time.sleep(float(os.environ.get("BOT_SECONDS", "0")))
        if os.environ.get("BOT_FAILS") == text:
            raise RuntimeError("the bot broke")
        return "" if os.environ.get("BOT_SILENT") == text else f"I hear {text} from you, friend."
'''
RUN = ("protocol", "run", "--language", "en", "--similarity", "tfidf")
SLOW = ("--bot", "function:slow_bot.Slow")
SMALL = ("--blocks", "open,closed", "--dialogues", "2")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Caller:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "slow_bot.py").write_text(BOT, encoding="utf-8")
    return Caller(capsys)


def calls() -> list[str]:
    return Path("calls.txt").read_text().splitlines() if Path("calls.txt").exists() else []


def only_run(root: str = ".du-eval/runs") -> Path:
    return next(folder for folder in Path(root).iterdir() if folder.is_dir())


def read(folder: Path, name: str = "run.json") -> dict:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def test_a_run_is_kept_with_manifest_journal_and_the_whole_run(call: Caller) -> None:
    answer = call(*RUN, *SLOW, *SMALL, "--label", "first try", "-o", "copy.json")
    assert answer.code == 0, answer.err
    folder = only_run()
    assert {file.name for file in folder.iterdir()} == {"manifest.json", "journal.jsonl", "run.json"}
    assert read(folder, "manifest.json")["status"] == "finished"
    assert read(folder) == json.loads(Path("copy.json").read_text(encoding="utf-8"))
    report = read_protocol(folder)
    assert report["label"] == "first try"
    assert report["replies"] == {"answered": 24}
    assert len((folder / "journal.jsonl").read_text().splitlines()) == 24
    assert read(folder, "manifest.json")["figures"] == report["figures"]
    assert "finished" in call("runs", "ls").out


def test_a_run_is_printed_as_json_and_written_in_every_form(call: Caller) -> None:
    files = ("--html", "p.html", "--markdown", "p.md", "--junitxml", "p.xml", "--output-file", "p.xlsx")
    answer = call(*RUN, *SLOW, *SMALL, "--json", *files)
    assert json.loads(answer.out) == read(only_run())
    assert all(Path(name).stat().st_size > 1000 for name in ("p.html", "p.md", "p.xml", "p.xlsx"))
    assert "user_name_retention: never says" in Path("p.xml").read_text(encoding="utf-8")


def test_thresholds_decide_about_the_exit_code(call: Caller) -> None:
    assert call(*RUN, *SLOW, *SMALL, "--fail-under", "hello_bye=0,repeating=1").code == 0
    answer = call(*RUN, *SLOW, *SMALL, "--fail-under", "hello_bye=0.0,user_name_retention=0.5")
    assert answer.code == 1
    assert "gate failed: user_name_retention is 0.0000, and must be at least 0.5" in answer.err


def test_details_show_each_reply_that_did_not_pass(call: Caller) -> None:
    assert "never says" not in call(*RUN, *SLOW, *SMALL).out
    assert "never says" in call(*RUN, *SLOW, *SMALL, "--details").out


def begun(root: str, seconds: str) -> subprocess.Popen[str]:
    """Start a run of a slow bot in another process, and wait until it has some replies."""
    command = [sys.executable, "-m", "du_eval.cli", *RUN, *SLOW, *SMALL, "--runs-dir", root]
    environment = {**os.environ, "BOT_SECONDS": seconds, "PYTHONPATH": str(Path.cwd())}
    process = subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    for _ in range(600):
        if len(calls()) >= 8 or process.poll() is not None:
            break
        time.sleep(0.1)
    return process


def test_a_killed_run_goes_on_and_asks_nothing_twice(call: Caller) -> None:
    call(*RUN, *SLOW, *SMALL, "--runs-dir", "whole")
    whole = read_protocol(only_run("whole"))
    Path("calls.txt").unlink()
    process = begun("killed", "0.15")
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    folder = only_run("killed")
    kept = len((folder / "journal.jsonl").read_text().splitlines())
    assert 1 <= kept < 24
    assert not (folder / "run.json").exists()
    assert "killed" in call("runs", "ls", "--runs-dir", "killed").out
    asked = len(calls())

    answer = call(*RUN, "--resume", folder.name, "--runs-dir", "killed")
    assert answer.code == 0, answer.err
    assert f"{kept} answers are kept from before" in answer.err
    assert len(calls()) - asked == 24 - kept
    again = read_protocol(folder)
    for key in ("figures", "decisions", "replies"):
        assert again[key] == whole[key]

    asked = len(calls())
    assert call("protocol", "run", "--resume", "--runs-dir", "killed").code == 0
    assert len(calls()) == asked


def test_an_interrupted_run_reports_what_it_has_and_goes_on(call: Caller) -> None:
    process = begun("runs", "0.15")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "not held to the end" in out
    folder = only_run("runs")
    assert f"--resume {folder}\n" in err
    assert read(folder, "manifest.json")["status"] == "interrupted"
    partial = sum(read_protocol(folder)["replies"].values())
    assert 1 <= partial < 24
    assert call("protocol", "run", "--resume", "--runs-dir", "runs").code == 0
    assert read_protocol(folder)["replies"] == {"answered": 24}


def test_a_bot_that_fails_is_an_outcome_and_is_asked_again_when_the_run_goes_on(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_FAILS", "Do you work?")
    monkeypatch.setenv("BOT_SILENT", "Do you like sushi?")
    answer = call(*RUN, *SLOW, *SMALL)
    assert answer.code == 3
    assert "no reply: 2 empty, 2 error" in answer.out
    turns = [turn for one in read_protocol(only_run())["dialogues"] for turn in one]
    assert {turn["remark"] for turn in turns if turn.get("became") == "error"} == {
        "the chatter raised RuntimeError: the bot broke"
    }
    monkeypatch.delenv("BOT_FAILS")
    answer = call("protocol", "run", "--resume")
    assert answer.code == 0, answer.err
    assert read_protocol(only_run())["replies"] == {"answered": 22, "empty": 2}


def test_a_reply_that_takes_too_long_is_a_timeout(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_SECONDS", "0.3")
    answer = call(*RUN, *SLOW, "--blocks", "closed", "--dialogues", "1", "--timeout", "0.01")
    assert answer.code == 3
    assert "no reply: 5 timeout" in answer.out
    assert "not held to the end: 1 of 1" in answer.out


def test_a_run_goes_on_with_more_dialogues_but_not_with_another_bot(call: Caller) -> None:
    call(*RUN, *SLOW, *SMALL)
    asked = len(calls())
    assert call("protocol", "run", "--resume", "last", "--dialogues", "3").code == 0
    assert len(calls()) - asked == 12
    answer = call("protocol", "run", "--resume", "last", "--bot", "echo")
    assert answer.code == 2
    assert "bot: 'function:slow_bot.Slow' then, 'echo' now" in answer.err


def test_the_number_of_dialogues_at_once_changes_nothing(call: Caller) -> None:
    for concurrency in ("1", "3"):
        call(
            *RUN,
            *SLOW,
            "--dialogues",
            "3",
            "--concurrency",
            concurrency,
            "--runs-dir",
            f"at-once-{concurrency}",
        )
    one, three = (read_protocol(only_run(f"at-once-{number}")) for number in (1, 3))
    assert one["decisions"] == three["decisions"]
    assert [turn["said"] for turn in one["dialogues"][2]] == [turn["said"] for turn in three["dialogues"][2]]


def test_the_last_run_is_the_last_of_the_protocol(call: Caller) -> None:
    call(*RUN, *SLOW, *SMALL, "--runs-dir", "mixed")
    Path("suite.yml").write_text(
        "test_cases: [{test_case: a, steps: [{user: hi, commands: [ChitChat()]}]}]\n", encoding="utf-8"
    )
    call("test", "suite.yml", "--runs-dir", "mixed", "-q", "--no-output")
    assert call("protocol", "run", "--resume", "--runs-dir", "mixed").code == 0
    only = next(folder.name for folder in Path("mixed").glob("2*") if read(folder)["kind"] == "protocol")
    assert "is one of du-eval protocol" in call("test", "--resume", only, "--runs-dir", "mixed").err
    other = max(folder.name for folder in Path("mixed").iterdir() if folder.is_dir())
    assert "not of protocol" in call("protocol", "run", "--resume", other, "--runs-dir", "mixed").err


def test_a_language_is_written_after_the_model_of_another(call: Caller) -> None:
    mine = call("protocol", "language", "ru").out.replace("language: ru", "language: my own")
    Path("mine.yml").write_text(mine, encoding="utf-8")
    assert call("protocol", "language", "mine.yml").out == mine
    assert "language my own" in call(*RUN, "--language", "mine.yml", "--dialogues", "1").out
    assert call("protocol", "language", "xx").code == 2


def test_wrong_input_makes_no_run(call: Caller) -> None:
    for wrong, told in (
        (("--bot", "ecko"), "did you mean 'echo'"),
        (("--blocks", "opening"), "unknown block opening"),
        (("--language", "xx"), "or name a language file"),
        (("--bot", "none.yaml"), "cannot be read"),
        (("--resume", "20200101"), "there is no run"),
        (("--judge-model", "openai/x"), "needs a key"),
        (("--bot", "transformers:nowhere"), "error: "),
    ):
        answer = call("protocol", "run", *wrong)
        assert answer.code == 2, wrong
        assert told in answer.err
    assert not [one for one in Path(".du-eval").rglob("*") if one.is_dir() and one.name.startswith("2")]


def test_a_bot_may_be_a_file_of_settings(call: Caller) -> None:
    lines = json.dumps(["Yes, of course."] * 12)
    Path("bot.yaml").write_text(f"bot: {{type: predefined, lines: {lines}}}\n", encoding="utf-8")
    assert call(*RUN, "--bot", "bot.yaml", *SMALL).code == 0
    assert read_protocol(only_run())["figures"]["closed_ended"] == 0.8


def test_a_kept_run_is_labelled_without_the_bot_and_stays_corrected(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(*RUN, *SLOW, *SMALL)
    asked = len(calls())
    monkeypatch.setattr("builtins.input", lambda _: "n")
    answer = call("annotate", "--checks", "closed_ended")
    assert answer.code == 0, answer.err
    assert "Does the bot say yes or no" in answer.err
    (kept,) = read(only_run())["corrections"]
    assert (kept["check"], kept["labelled"]["n"], kept["labelled"]["value"]) == ("closed_ended", 10, 0)
    call("protocol", "run", "--resume")
    assert read(only_run())["corrections"] == [kept]
    assert len(calls()) == asked


def test_there_is_no_verdict_where_the_bot_stopped_replying(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "said = []\n\ndef bot(texts):\n    said.append(1)\n    return '' if len(said) > 8 else 'Fine.'\n"
    (tmp_path / "ebbing.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run = (
        "protocol",
        "run",
        "--bot",
        "function:ebbing.bot",
        "--dialogues",
        "1",
        "--fail-under",
        "repeating=1",
    )
    answer = call(*run)
    assert answer.code == 3
    assert "(1 of 1 cases, stopped: 1 dialogue was given up, because the bot stopped replying)" in answer.err
