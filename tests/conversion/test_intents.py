"""Messages with their intents into suites."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.conversion.intents import convert_intents
from du_eval.errors import InputError
from du_eval.suites.load import load_suite
from tests.cli.calling import Caller

ROWS = [["block my card", "card_block"], ["sing me a song", "oos"], ["what's my balance?", "showBalance"]]


def convert(tmp_path: Path, name: str, text: str) -> Path:
    source = tmp_path / name
    source.write_text(text, encoding="utf-8")
    convert_intents(source, tmp_path / "out")
    return tmp_path / "out"


def expectations(folder: Path) -> list[tuple[str, list[list[str]]]]:
    return [
        (step.text, [[one.text for one in group] for group in step.alternatives])
        for case in load_suite([folder])
        for step in case.user_steps
    ]


EXPECTED = [
    ("block my card", [["StartFlow(card_block)"]]),
    ("sing me a song", [[], ["CannotHandle()"], ["ChitChat()"], ["SearchAndReply()"]]),
    ("what's my balance?", [["StartFlow(showBalance)"]]),
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.json", json.dumps(ROWS, indent=1)),
        ("rows.json", json.dumps([{"text": text, "intent": intent} for text, intent in ROWS])),
        ("rows.jsonl", "\n".join(json.dumps({"query": text, "label": intent}) for text, intent in ROWS)),
        ("rows.csv", "text,category\n" + "\n".join(f'"{text}",{intent}' for text, intent in ROWS)),
        ("rows.tsv", "label\tutterance\n" + "\n".join(f"{intent}\t{text}" for text, intent in ROWS)),
    ],
)
def test_each_message_expects_the_flow_of_its_intent(tmp_path: Path, name: str, text: str):
    assert expectations(convert(tmp_path, name, text)) == EXPECTED


def test_flows_are_known_by_their_names_alone(tmp_path: Path):
    assistant = load_assistant(convert(tmp_path, "rows.json", json.dumps(ROWS)))
    found = {flow.id: (flow.name, flow.description) for flow in assistant.user_flows}
    assert found == {"card_block": ("card block",) * 2, "showBalance": ("show balance",) * 2}


def test_another_name_for_out_of_scope_may_be_given(tmp_path: Path, call: Caller):
    (tmp_path / "rows.json").write_text('[["hi", "none"], ["pay", "pay"]]', encoding="utf-8")
    arguments = ("convert", "intents", str(tmp_path / "rows.json"), "-o", str(tmp_path / "out"))
    answer = call(*arguments, "--out-of-scope", "none")
    assert answer.out.startswith("2 cases with 2 user steps in ")
    assert [flow.id for flow in load_assistant(tmp_path / "out").user_flows] == ["pay"]
    assert call("validate", str(tmp_path / "out"), "--strict").code == 0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rows.json", '[["only text"]]', "item 1 is not a message with its intent"),
        ("rows.json", '{"val": [["a", "b"]]}', "item 1 is not a message with its intent"),
        ("rows.csv", "a,b\n1,2\n", "no columns for text and intent; found: a, b"),
        ("rows.json", "[]", "there are no messages here"),
    ],
)
def test_what_is_no_list_of_messages_is_refused(tmp_path: Path, name: str, text: str, message: str):
    with pytest.raises(InputError, match=message):
        convert(tmp_path, name, text)
