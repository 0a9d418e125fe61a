"""Whole runs of quality tests: with chat models behind an endpoint, and every example that we ship."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Caller
from tests.llm.chat_server import Behaviour, ChatServer, say, user_message
from tests.reading import read_protocol, read_quality

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.name for path in (ROOT / "examples" / "quality").glob("*.yaml"))


@pytest.mark.parametrize(("label", "rate"), [("ok", 1.0), ("bad", 0.0)])
def test_a_chat_model_judges_a_protocol_run(call: Caller, tmp_path: Path, label: str, rate: float) -> None:
    answer = json.dumps({"reason": "so it is", "label": label})
    with ChatServer(Behaviour(say(answer))) as server:
        found = call(
            "protocol", "run", "--dialogues", "1", "--similarity", "tfidf", "--judges", "protocol=llm",
            "--judge-model", "judge", "--judge-base-url", server.base_url, "-o", str(tmp_path / "p.json"),
        )  # fmt: skip
        assert found.code == 0, found.err
        asked = [json.loads(user_message(body)) for body in server.bodies]
    assert len(asked) > 5
    assert all({"criterion", "utterance", "reply"} <= set(question) for question in asked)
    data = read_protocol(tmp_path / "p.json")
    by_model = [one for one in data["decisions"] if one["judge"].startswith("chat:judge")]
    assert {one["reason"] for one in by_model} == {"so it is"}
    passed = [one["outcome"] == "passed" for one in by_model]
    assert sum(passed) / len(passed) == rate


def test_a_judge_that_makes_no_sense_leaves_decisions_open(call: Caller) -> None:
    with ChatServer(Behaviour(say("no JSON at all"))) as server:
        found = call(
            "protocol", "run", "--dialogues", "1", "--similarity", "tfidf", "--judges", "protocol=llm",
            "--bot", "bad-persona", "--judge-model", "judge", "--judge-base-url", server.base_url,
        )  # fmt: skip
    assert found.code == 0, found.err
    assert re.search(r"open_ended .*n=0.*\) +replies +\d", found.out)


CASCADE = (
    "quality",
    "run",
    "--bot",
    "small-talker",
    "--conversations",
    "2",
    "--prompts",
    "10",
    "--judges",
    "llm",
)


def test_the_cascade_asks_about_what_rules_leave_open_and_then_its_cache(call: Caller) -> None:
    label = json.dumps({"reason": "fits", "label": "coherent"})
    with ChatServer(Behaviour(say(label))) as server:
        options = ("--judge-model", "judge", "--judge-base-url", server.base_url, "--json")
        first = call(*CASCADE, *options)
        assert first.code == 0, first.err
        asked = server.calls
        assert 0 < asked <= 2 * 20 + 40
        second = call(*CASCADE, *options)
        assert server.calls == asked
    one, other = (json.loads(answer.out) for answer in (first, second))
    assert one["summary"] == other["summary"]
    assert one["summary"]["figures"]["ML-I3"] == 1.0
    assert any(f"{asked}" in note or "calls" in note for note in one["notes"])
    assert all("of them from the cache" in note for note in other["notes"])


def test_a_judge_endpoint_that_dies_leaves_undecided_replies_and_a_run_that_goes_on(
    call: Caller, tmp_path: Path
) -> None:
    dead = ("--judge-model", "judge", "--judge-base-url", "http://127.0.0.1:9/v1")
    folder = tmp_path / "out"
    first = call(*CASCADE, *dead, "--folder", str(folder))
    assert first.code == 0, first.err
    before = json.loads((folder / "run.json").read_text())
    reasons = [
        check["reason"]
        for case in before["cases"]
        for result in case["results"]
        for check in result["checks"]
        if check["name"] == "ML-I3" and check["outcome"] == "undecided"
    ]
    assert reasons
    assert any("no answer" in reason for reason in reasons)
    with ChatServer(Behaviour(say(json.dumps({"reason": "fits", "label": "coherent"})))) as server:
        again = call("quality", "run", "--resume", str(folder), "--judge-base-url", server.base_url)
    assert again.code == 0, again.err
    assert "20 answers are kept from before" in again.err
    after = json.loads((folder / "run.json").read_text())
    assert after["summary"]["figures"]["ML-I3"] == 1.0


GENERATED = """\
test_cases:
  - test_case: c
    steps:
      - user: hi
        assertions:
          - generative_response_is_relevant: {utter_name: utter_small_talk}
"""
TALKS = "\n".join(f"What is {n}?\nThe {n} is a thing of mine." for n in ("work", "sport", "music", "food"))
SMALL_TALK = "def talk(request):\n    return 'ChitChat()'\n"


@pytest.mark.parametrize(
    "command",
    [
        "protocol run --dialogues 1 --similarity tfidf --judges protocol=llm",
        "quality run --bot small-talker --conversations 2 --prompts 10 --judges llm",
        "quality assess talk.txt --judges coherence=llm,yes_no=llm",
        "e2e cases.yml -g talk:talk --no-output",
    ],
)
def test_what_a_chat_judge_said_is_in_the_journal_and_can_be_verified_without_it(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    count = itertools.count()

    def waver(body: dict[str, Any]) -> str:
        labels = re.findall(r'- "([^"]+)": ', body["messages"][0]["content"])
        return json.dumps({"reason": "by whim", "label": labels[next(count) % len(labels)]})

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, content in (("talk.txt", TALKS), ("cases.yml", GENERATED), ("talk.py", SMALL_TALK)):
        Path(name).write_text(content)
    words = [
        *command.split(),
        *(["--assistant", str(ROOT / "examples" / "bank")] if command.startswith("e2e") else []),
    ]
    with ChatServer(Behaviour(waver)) as server:
        first = call(*words, "--judge-model", "judge", "--judge-base-url", server.base_url)
        asked = server.calls
        assert asked, first.err
        if "assess" not in command:
            monkeypatch.setenv("DU_EVAL_CACHE_DIR", "another")
            assert call(*words[: 1 + ("run" in words)], "--resume").code == first.code
            assert server.calls == asked, "a judge is not paid twice"
    verified = call("verify", "--json")
    found = {one["name"]: one["holds"] for one in json.loads(verified.out)["findings"]}
    assert set(found.values()) == {True}, verified.out


def test_a_chat_model_is_the_bot(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("judges: {similarity: tfidf}\nprobabilities: {ML-I13: 0.3}\n")
    with ChatServer(Behaviour(say("I am Robin."))) as server:
        bot = f"bot: {{type: llm, model: openai/m, base_url: '{server.base_url}'}}\n"
        (tmp_path / "c.yaml").write_text(
            f"{bot}judges: {{similarity: tfidf}}\nprobabilities: {{ML-I4: 0.2}}\n"
        )
        found = call(
            "quality",
            "run",
            str(tmp_path / "c.yaml"),
            "--conversations",
            "2",
            "--prompts",
            "8",
            "--folder",
            str(tmp_path / "o"),
        )
        assert found.code == 0, found.err
        assert server.calls == 16
    data = read_quality(tmp_path / "o")
    assert data["replies"] == {"answered": 16}


def test_an_assistant_that_a_chat_model_understands_is_the_bot(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with ChatServer(Behaviour(say("StartFlow(block_card)"))) as server:
        (tmp_path / "c.yaml").write_text(
            f"bot: {{type: dut, assistant: examples/bank, generator: llm, model: openai/m, base_url: '{server.base_url}', cache: 'off'}}\n"
            "judges: {similarity: tfidf}\nprobabilities: {}\n"
        )
        found = call(
            "quality",
            "run",
            str(tmp_path / "c.yaml"),
            "--conversations",
            "1",
            "--prompts",
            "2",
            "--folder",
            str(tmp_path / "o"),
        )
        assert found.code == 0, found.err
        assert server.calls == 2
    assert "debit card" in (tmp_path / "o" / "conversations.jsonl").read_text()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run_as_a_whole(
    name: str, call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    found = call("quality", "run", f"examples/quality/{name}", "--folder", str(tmp_path / "o"))
    assert found.code == 0, found.err
    data = read_quality(tmp_path / "o")
    assert sum(data["replies"].values()) > 20
    assert all(test["attempts"] + test.get("unjudged", 0) > 0 for test in data["tests"].values())
    assert (tmp_path / "o" / "report.xlsx").stat().st_size > 5000


def test_there_are_examples() -> None:
    assert {"bank.yaml", "my_bot.yaml"} <= set(EXAMPLES)


def test_a_run_that_was_killed_goes_on_and_gives_what_an_undisturbed_run_gives(
    call: Caller, tmp_path: Path
) -> None:
    (tmp_path / "slow_bot_of_a_test.py").write_text(
        "import time\n"
        "class Bot:\n"
        "    def get_response(self, conv_array):\n"
        "        time.sleep(0.01)\n"
        "        with open('asked.txt', 'a') as file:\n"
        "            file.write('asked\\n')\n"
        "        return f'You said {conv_array[-1]}'\n"
    )
    (tmp_path / "c.yaml").write_text(
        "judges: {similarity: tfidf}\nconversations: 6\nprompts: 12\nconcurrency: 1\n"
        "bot: {type: function, class: slow_bot_of_a_test.Bot}\n"
    )
    run = [sys.executable, "-c", "from du_eval.cli.main import main; main()", "quality", "run"]
    journal = tmp_path / "killed" / "journal.jsonl"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([*run, "c.yaml", "--folder", "killed"], cwd=tmp_path, env=environment) as process:
        end = time.monotonic() + 60
        while time.monotonic() < end and not (journal.exists() and journal.read_text().count("\n") >= 20):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    kept = journal.read_text().count("\n")
    assert 20 <= kept < 72
    again = subprocess.run(
        [*run, "--resume", "killed"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    asked = (tmp_path / "asked.txt").read_text().count("\n")
    assert 72 <= asked <= 73  # a reply on its way when the run was killed may be asked for again
    assert f"{kept} answers are kept from before" in again.stderr
    subprocess.run(
        [*run, "c.yaml", "--folder", "whole"], cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    one, other = (read_quality(tmp_path / name) for name in ("killed", "whole"))
    assert one["tests"] == other["tests"]
    assert one["assessments"] == other["assessments"]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_reports_what_there_is(tmp_path: Path, sent: signal.Signals) -> None:
    (tmp_path / "slow_bot.py").write_text(
        "import time\n"
        "class Bot:\n"
        "    def get_response(self, conv_array):\n"
        "        time.sleep(0.05)\n"
        "        return 'Yes.'\n"
    )
    arguments = (
        "quality",
        "run",
        "--bot",
        "function:slow_bot.Bot",
        "--conversations",
        "4",
        "--folder",
        "out",
    )
    command = [sys.executable, "-c", "from du_eval.cli.main import main; main()", *arguments]
    journal = tmp_path / "out" / "journal.jsonl"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        end = time.monotonic() + 60
        while time.monotonic() < end and not (journal.exists() and journal.read_text().count("\n") >= 8):
            time.sleep(0.02)
        process.send_signal(sent)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "--resume out" in err
    assert "4 conversations" in out
    assert re.search(r"Not finished \(4 of 4 cases, stopped: interrupted after \d+ of 160 replies\)", out)
    data = read_quality(tmp_path / "out")
    assert 8 <= data["replies"]["answered"] < 160
    assert not (tmp_path / "out" / "plots").exists()


def test_a_bot_that_hangs_does_not_keep_an_interrupted_run_from_ending(tmp_path: Path) -> None:
    (tmp_path / "stuck_bot.py").write_text(
        "import time\n"
        "from pathlib import Path\n"
        "def get_response(conv_array):\n"
        "    if len(conv_array) > 4:\n"
        "        Path('stuck').touch()\n"
        "        time.sleep(10_000)\n"
        "    return 'Yes.'\n"
    )
    words = ("quality", "run", "--bot", "function:stuck_bot.get_response", "--conversations", "1")
    command = [sys.executable, "-c", "from du_eval.cli.main import main; main()", *words, "--folder", "out"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE) as process:
        end = time.monotonic() + 60
        while time.monotonic() < end and not (tmp_path / "stuck").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert read_quality(tmp_path / "out")["replies"]["answered"] == 2


@pytest.mark.parametrize("end", ["return ''", "raise ConnectionError('gone')"])
def test_there_is_no_verdict_where_the_bot_stopped_replying(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    code = f"said = []\n\ndef bot(texts):\n    said.append(1)\n    if len(said) > 8:\n        {end}\n    return 'Fine.'\n"
    (tmp_path / "ending.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "ending", raising=False)
    run = ("quality", "run", "--bot", "function:ending.bot", "--conversations", "1", "--prompts", "20")
    answer = call(*run, "--max-errors", "0.5", "--fail-under", "ML-A6=0", "--folder", "out")
    assert answer.code == 3
    told = "no verdict on an incomplete run (1 of 1 cases, stopped: 1 conversation was given up, because"
    assert told in answer.err
