"""`du-eval judges`, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Caller
from tests.llm.chat_server import Behaviour, ChatServer, say

ROWS = [
    {"question": "Do you work?", "reply": "No, I don't.", "label": "no"},
    {"question": "Do you work?", "reply": "I am a nurse.", "label": "yes"},
]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Caller:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DU_EVAL_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return Caller(capsys)


def test_rules_are_measured_and_their_mistakes_listed(call: Caller) -> None:
    answer = call("judges", "measure", "yes_no", "labels.jsonl")
    assert answer.code == 0, answer.err
    assert "right, of all      0.50" in answer.out
    assert "line 2: yes, said unclear" in answer.out
    data = json.loads(call("judges", "measure", "yes_no", "labels.jsonl", "--json").out)
    assert (data["n"], data["accuracy"], data["decided"], data["accuracy_of_decided"]) == (2, 0.5, 0.5, 1.0)
    assert data["labels"]["yes"]["recall"] == 0
    assert data["judge"] == f"yes-no-rules/{data['version']}"


def test_the_cascade_asks_a_server_once_and_then_its_cache(call: Caller) -> None:
    with ChatServer(Behaviour(say('{"reason": "nurses work", "label": "yes"}'))) as server:
        command = ("judges", "measure", "yes_no", "labels.jsonl", "--judge", "rules>llm", "--json")
        options = ("--model", "tiny", "--base-url", server.base_url)
        first, second = call(*command, *options), call(*command, *options)
    assert first.code == 0, first.err
    assert json.loads(first.out)["accuracy"] == 1
    assert first.out == second.out
    assert sum(server.asked.values()) == 1
    assert "1 calls, 0 of them from the cache" in first.err
    assert "1 calls, 1 of them from the cache" in second.err


def test_a_server_that_is_not_there_leaves_undecided_replies(call: Caller) -> None:
    answer = call(
        "judges", "measure", "yes_no", "labels.jsonl", "--judge", "rules>llm", "--json",
        "--model", "tiny", "--base-url", "http://127.0.0.1:9/v1",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    data = json.loads(answer.out)
    assert (data["accuracy"], data["decided"]) == (0.5, 0.5)
    assert "no answer" in data["mistakes"][0]["reason"]


def test_what_is_wrong_with_a_file_has_its_line(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text('{"reply": "x", "label": "toxic"}\n{"reply": "y"}\n')
    answer = call("judges", "measure", "toxicity", "labels.jsonl")
    assert answer.code == 2
    assert "labels.jsonl:2: without label" in answer.err


def test_a_mistake_shows_what_was_judged(call: Caller, tmp_path: Path) -> None:
    row = {"turns": ["Do you ski?", "Nice.", "Tea?"], "label": [False, False, True]}
    (tmp_path / "turns.jsonl").write_text(json.dumps(row))
    shown = call("judges", "measure", "yes_no", "labels.jsonl").out
    assert f"    question: {ROWS[1]['question']}\n    reply: {ROWS[1]['reply']}\n" in shown
    data = json.loads(call("judges", "measure", "yes_no", "labels.jsonl", "--json").out)
    assert data["mistakes"][0]["reply"] == ROWS[1]["reply"]
    data = json.loads(call("judges", "measure", "repeated_questions", "turns.jsonl", "--json").out)
    assert data["turns"]["mistakes"][0]["turns"] == row["turns"]
    assert (
        "    turns: Do you ski? / Nice. / Tea?"
        in call("judges", "measure", "repeated_questions", "turns.jsonl").out
    )
