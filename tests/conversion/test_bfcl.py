"""Questions with function calls into suites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.conversion.bfcl import convert_bfcl
from du_eval.errors import InputError
from du_eval.suites.load import load_suite
from tests.cli.calling import Caller

MOVE = {
    "name": "move",
    "description": "Move a piece.",
    "parameters": {
        "type": "dict",
        "properties": {
            "piece": {"type": "string", "description": "Which one"},
            "steps": {"type": "integer"},
            "way": {"type": "string", "enum": ["up", "down"]},
        },
        "required": ["piece"],
    },
}
STOP = {"name": "game.stop", "description": "Stop.", "parameters": {"type": "dict", "properties": {}}}


def said(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


def write_lines(path: Path, *items: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    base, simple = "BFCL_v4_multi_turn_base.json", "BFCL_v4_simple_python.json"
    write_lines(folder / "multi_turn_func_doc" / "game.json", MOVE, STOP)
    write_lines(
        folder / base,
        {"id": "m_0", "question": [said("rook up two"), said("hm"), said("stop it")]},
        {"id": "m_1", "question": [said("go"), []], "missed_function": {"1": ["move"]}},
    )
    write_lines(
        folder / "possible_answer" / base,
        {"id": "m_0", "ground_truth": [["move('rook', 2, way='up')"], [], ["stop()", "move(piece='king')"]]},
        {"id": "m_1", "ground_truth": [[], ["move('rook')"]]},
    )
    context = [{"role": "system", "content": "Be brief."}, *said("move the rook")]
    write_lines(folder / simple, {"id": "s_0", "question": [context], "function": [MOVE]})
    truth = [{"move": {"piece": ["rook"], "steps": [1, ""], "way": ["up", ""]}}]
    write_lines(folder / "possible_answer" / simple, {"id": "s_0", "ground_truth": truth})
    write_lines(
        folder / "BFCL_v4_irrelevance.json", {"id": "i_0", "question": [said("sing")], "function": [STOP]}
    )
    write_lines(
        folder / "BFCL_v4_live_relevance.json", {"id": "r_0", "question": [said("x")], "function": [STOP]}
    )
    return folder


def expectations(folder: Path) -> dict[str, list[tuple[str, list[str]]]]:
    return {
        case.name: [(step.text, [one.text for one in step.alternatives[0]]) for step in case.user_steps]
        for case in load_suite([folder])
    }


def test_calls_become_commands_and_values_without_a_name_get_one(data: Path, tmp_path: Path):
    convert_bfcl(data, tmp_path / "out")
    assert expectations(tmp_path / "out" / "multi_turn_base") == {
        "m_0": [
            ("rook up two", ['CallFunction(move, {"piece": "rook", "steps": 2, "way": "up"})']),
            ("hm", []),
            ("stop it", ["CallFunction(stop, {})", 'CallFunction(move, {"piece": "king"})']),
        ]
    }


def test_right_values_are_kept_and_the_system_speaks_before_the_user(data: Path, tmp_path: Path):
    convert_bfcl(data, tmp_path / "out")
    expected = 'CallFunction(move, any {"piece": ["rook"], "steps": [1, ""], "way": ["up", ""]})'
    assert expectations(tmp_path / "out" / "simple_python") == {
        "s_0": [("Be brief.\n\nmove the rook", [expected])]
    }


def test_where_no_function_helps_no_call_is_expected(data: Path, tmp_path: Path):
    convert_bfcl(data, tmp_path / "out")
    assert expectations(tmp_path / "out" / "irrelevance") == {"i_0": [("sing", [])]}


def test_what_cannot_be_converted_is_counted(data: Path, tmp_path: Path):
    assert convert_bfcl(data, tmp_path / "out").notes == (
        "live_relevance: 1 case left out: any call would be correct",
        "multi_turn_base: 1 case left out: functions change during the dialogue",
    )


def test_functions_become_flows_and_parameters_slots(data: Path, tmp_path: Path):
    convert_bfcl(data, tmp_path / "out")
    assistant = load_assistant(tmp_path / "out" / "multi_turn_base")
    assert [flow.id for flow in assistant.user_flows] == ["move", "game_stop"]
    assert assistant.slots["move_way"].values == ("up", "down")
    assert assistant.slots["move_steps"].type == "float"


def test_the_suite_validates_and_right_calls_pass(data: Path, tmp_path: Path, call: Caller):
    out = tmp_path / "out"
    assert call("convert", "bfcl", str(data / "BFCL_v4_simple_python.json"), "-o", str(out)).code == 0
    assert call("validate", str(out)).code == 0
    recorded = tmp_path / "recorded.jsonl"
    answer = 'CallFunction(move, {"piece": "Rook", "way": "up"})'
    write_lines(recorded, {"test_case": "s_0", "step": 1, "text": answer})
    found = call("test", str(out), "-g", f"recorded:{recorded}", "-q", "--no-output", "--no-journal")
    assert found.code == 0, found.out + found.err


@pytest.mark.parametrize("call_text", ["move(", "rook", "move('a', 1, 'up', 2)", "move(piece=x)"])
def test_a_gold_call_that_cannot_be_read_is_named(data: Path, tmp_path: Path, call_text: str):
    file = data / "possible_answer" / "BFCL_v4_multi_turn_base.json"
    write_lines(file, {"id": "m_0", "ground_truth": [[call_text], [], []]}, {"id": "m_1", "ground_truth": []})
    with pytest.raises(InputError, match="m_0: "):
        convert_bfcl(data, tmp_path / "out")


def test_answers_of_other_questions_are_refused(data: Path, tmp_path: Path):
    write_lines(data / "possible_answer" / "BFCL_v4_simple_python.json", {"id": "s_9", "ground_truth": []})
    with pytest.raises(InputError, match="the answers do not belong to the questions"):
        convert_bfcl(data, tmp_path / "out")


def test_a_folder_without_questions_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match=r"no BFCL_v\*"):
        convert_bfcl(tmp_path, tmp_path / "out")


@pytest.mark.parametrize(
    "described",
    [
        {"description": True},
        {"parameters": {"properties": {"to": 0.5}}},
        {"parameters": {"properties": "to"}},
        {"parameters": {"properties": {"to": {"enum": 5}}}},
    ],
)
@pytest.mark.parametrize("is_shared", [False, True])
def test_a_function_whose_description_has_other_types_is_refused(
    tmp_path: Path, described: dict[str, object], is_shared: bool
) -> None:
    function = {"name": "move", **described}
    entry = {"id": "a", "question": [[{"role": "user", "content": "go"}]]}
    source = tmp_path / "BFCL_v4_irrelevance.json"
    source.write_text(json.dumps(entry if is_shared else {**entry, "function": [function]}))
    if is_shared:
        (tmp_path / "multi_turn_func_doc").mkdir()
        (tmp_path / "multi_turn_func_doc" / "moves.json").write_text(json.dumps(function))
    with pytest.raises(InputError, match="not in the format of the leaderboard"):
        convert_bfcl(source, tmp_path / "out")
