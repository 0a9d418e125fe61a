"""The recorded outcomes of the original tool, where the document does not contradict them."""

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

from du_eval.agents.checks.evaluate import Answer, evaluate
from du_eval.agents.connect import Connecting, parse_server_options
from du_eval.agents.connections.wire import build_reply, read_frames
from du_eval.agents.load import load_case
from du_eval.agents.model import DOCUMENTED
from du_eval.agents.pipeline import run_cases
from du_eval.agents.results import AgentReply
from du_eval.compat.neuro_san import NEURO_SAN
from du_eval.errors import InputError
from du_eval.llm.bodies import BodyError
from du_eval.runs.outcome import Outcome
from tests.agents.agent_fakes import judges, running_example, setting

DATA = os.environ.get("DU_EVAL_PARITY_DATA", "")
pytestmark = [
    pytest.mark.parity,
    pytest.mark.skipif(not DATA, reason="DU_EVAL_PARITY_DATA does not name the folder of recordings"),
]
ORDER = {"less", "not_less", "greater", "not_greater"}
SILENT = {
    "unknown test name": "pass",  # regex is a check of ours now
    "misspelled test name": "load",
    "test missing: scalar directly below text": "load",
    "list directly below text": "load",
    "unknown response part": "load",
    "response part in wrong case": "load",
    "empty tests": "load",
    "null expectation": "load",
    "null both": "load",
    "empty list": "load",
    "dict expectation is read as deeper tests": "load",
}


def recorded(kind):
    if not DATA:
        return []
    return json.loads((Path(DATA) / "oracles" / "neuro_san_checks.json").read_text())[kind]


def ours(entry, tmp_path, compat):
    path = tmp_path / "case.json"
    path.write_text(
        json.dumps({"agent": "a", "interactions": [{"text": "x", "response": entry["response"]}]})
    )
    try:
        case = load_case(path, "case").case
    except InputError:
        return "load"
    answer = Answer(AgentReply(**entry["actual"]), 0.1, judges(), NEURO_SAN if compat else DOCUMENTED)
    results = [asyncio.run(evaluate(one, answer)) for one in case.interactions[0].expectations]
    return "pass" if all(one.outcome is Outcome.PASSED for one in results) else "fail"


def checks_in(node):
    if not isinstance(node, dict):
        return set()
    return set(node) | {
        inner for value in node.values() if isinstance(value, dict) for inner in checks_in(value)
    }


@pytest.mark.parametrize(
    "entry", recorded("evaluators"), ids=lambda one: f"{one['response']} {one['note']}"[:80]
)
def test_checks_end_as_recorded(entry, tmp_path):
    expected = SILENT.get(entry["note"], "pass" if entry["outcome"] == "pass" else "fail")
    assert ours(entry, tmp_path, compat=True) == expected
    if not ORDER & checks_in(entry["response"]):
        assert ours(entry, tmp_path, compat=False) == expected


def single_order_checks():
    return [
        entry
        for entry in recorded("evaluators")
        if len(ORDER & checks_in(entry["response"])) == 1 and entry["outcome"] != "exception"
    ]


@pytest.mark.parametrize(
    "entry", single_order_checks(), ids=lambda one: f"{one['response']} {one['note']}"[:80]
)
def test_order_checks_follow_the_document(entry, tmp_path):
    """Turn the recording round by swapping what is compared, and expect the document's outcome."""
    response = entry["response"]
    (check,) = ORDER & checks_in(response)
    path, node = [], response
    while check not in node:
        path.append(next(iter(node)))
        node = node[path[-1]]
    actual = entry["actual"]
    for step in path:
        actual = actual[step]
    expected = node[check] if isinstance(node[check], list) else [node[check]]
    holds = {
        "less": lambda a, e: a < e,
        "not_less": lambda a, e: a >= e,
        "greater": lambda a, e: a > e,
        "not_greater": lambda a, e: a <= e,
    }[check]
    assert ours(entry, tmp_path, compat=False) == (
        "pass" if all(holds(actual, one) for one in expected) else "fail"
    )


@pytest.mark.parametrize("entry", recorded("success_ratio").get("v0715", []) if DATA else [], ids=str)
def test_ratios_decide_as_recorded_or_do_not_load(entry, tmp_path):
    written = "" if entry["success_ratio"] is None else f"success_ratio: {entry['success_ratio']}\n"
    path = tmp_path / "case.hocon"
    path.write_text(f"agent: a\n{written}interactions: [ {{ text: x }} ]")
    try:
        ratio = load_case(path, "case").case.ratio
    except InputError:
        sound = re.fullmatch(r'"?\s*[1-9]\d*\s*/\s*[1-9]\d*\s*"?', entry["success_ratio"], re.ASCII)
        assert not sound or int(sound.group().strip('" ').split("/")[0]) > int(
            sound.group().strip('" ').split("/")[1]
        )
        return
    if "X" in entry["iterations"] or entry["extra"]:
        return
    passed = entry["iterations"][: ratio.of].count("P")
    assert (passed >= ratio.needed) == entry["outcome"].startswith("pass")


def wire_answers():
    text = (Path(DATA) / "oracles" / "neuro_san_wire.txt").read_text() if DATA else ""
    for block in text.split("### ")[1:]:
        name, _, rest = block.partition("\n")
        command, _, answer = rest.partition("\n")
        if "streaming_chat" in command and "GET" not in name:
            head, _, body = (
                answer.partition("\n\n") if answer.startswith("HTTP/") else ("HTTP/1.1 200 OK", "", answer)
            )
            yield pytest.param(int(head.split()[1]), body, id=name)


@pytest.mark.parametrize(("status", "body"), list(wire_answers()))
def test_every_recorded_answer_is_read(status, body):
    if status != 200:
        assert status in {400, 404}
        return
    if '"error"' in body:
        with pytest.raises(BodyError):
            read_frames(body)
        return
    frames = read_frames(body)
    reply = build_reply(frames)
    assert reply.text == (frames[-1].get("response") or {}).get("text")
    if "MAXIMAL" in body:
        assert [call.name for call in reply.tools] == ["add_tool"]
        assert (reply.usage.total_tokens, reply.sly_data) == (24, {"total": 7})


def document_cases():
    text = (Path(DATA) / "seeds" / "neuro_san_test_cases.md").read_text() if DATA else ""
    blocks = [block for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if "interactions" in block]
    for agent, block in zip(("music_nerd", "math_guy", "music_nerd_pro"), blocks, strict=False):
        whole = re.sub(r"^\s*\.\.\.\s*$", "", block, flags=re.MULTILINE).rstrip().rstrip(",")
        closed = whole if whole.count("[") <= whole.count("]") else whole + "\n]"
        yield pytest.param(f'{{ "agent": "{agent}", "connections": "http",\n{closed}\n}}', id=agent)


@pytest.mark.parametrize("text", list(document_cases()))
def test_the_cases_of_the_document_pass_against_the_example_server(text, tmp_path):
    path = tmp_path / "case.hocon"
    path.write_text(text)
    case = load_case(path, "case").case
    assert case.interactions[0].expectations
    with running_example() as port:
        connecting = Connecting(parse_server_options((f"http://127.0.0.1:{port}",)))
        (result,) = run_cases((case,), setting(connecting=connecting)).cases
    assert result.results[0].outcome is Outcome.PASSED, result.results[0].actual
