"""Schema-Guided Dialogue, SGD-X and MultiWOZ into suites."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.conversion.services import convert_services
from du_eval.errors import ConfigError, InputError
from du_eval.suites.load import load_suite
from du_eval.suites.model import BotStep, TestCase
from tests.cli.calling import Caller
from tests.conversion.services_data import BOATS, DIALOGUE, KITES, frame, user, write_data


def expected_of(case: TestCase) -> list[list[list[str]]]:
    return [[[text.text for text in group] for group in step.alternatives] for step in case.user_steps]


@pytest.fixture
def converted(tmp_path: Path) -> Path:
    convert_services(write_data(tmp_path / "data"), tmp_path / "out")
    return tmp_path / "out"


def test_what_changes_in_a_state_is_what_is_expected(converted: Path):
    (case,) = load_suite([converted])
    assert expected_of(case)[:2] == [
        [["StartFlow(Boats_1_FindBoat)"]],
        [["SetSlot(Boats_1_harbour, Oslo)", "RequestSlot(Boats_1_price)"]],
    ]


def test_every_wording_that_a_dialogue_uses_for_a_value_is_right(converted: Path):
    (case,) = load_suite([converted])
    started = "StartFlow(Boats_1_RentBoat)"
    assert expected_of(case)[2] == [
        [started, f"SetSlot(Boats_1_day, {day})", "SetSlot(Boats_1_meal, none)"]
        for day in ("Sunday", "the 3rd")
    ]


def test_another_wording_of_a_known_value_is_no_command(converted: Path):
    (case,) = load_suite([converted])
    assert expected_of(case)[3] == [["StartFlow(Kites_2_BuyKite)", "SetSlot(Kites_2_colour, red)"]]


def test_a_user_who_is_done_may_cancel_chat_or_be_silent(converted: Path):
    (case,) = load_suite([converted])
    assert expected_of(case)[4] == [["CancelFlow()"], [], ["ChitChat()"]]


def test_the_bot_keeps_its_words_and_its_questions_are_named(converted: Path):
    (case,) = load_suite([converted])
    said = [step for step in case.steps if isinstance(step, BotStep)]
    assert (said[0].text, said[0].response) == ("Which harbour?", "utter_ask_Boats_1_harbour")
    assert (said[4].text, said[4].response) == ("Bye", None)


def test_the_schema_becomes_flows_slots_and_allowed_values(converted: Path):
    assistant = load_assistant(converted)
    assert [flow.id for flow in assistant.user_flows] == [
        "Boats_1_FindBoat",
        "Boats_1_RentBoat",
        "Kites_2_BuyKite",
    ]
    assert assistant.flows["Boats_1_FindBoat"].name == "find boat"
    assert assistant.slots["Boats_1_crew"].type == "bool"
    assert assistant.slots["Boats_1_meal"].values == ("none", "Soup", "dontcare")
    asked = [collect.slot for collect in assistant.flows["Boats_1_RentBoat"].collects]
    assert asked == ["Boats_1_harbour", "Boats_1_day", "Boats_1_crew", "Boats_1_meal"]


def test_the_replay_agrees_with_every_message_of_the_bot(converted: Path, call: Caller):
    answer = call("test", str(converted), "-q", "--no-output", "--no-journal")
    assert "bot steps: 0 of 5 differ" in answer.out
    assert "change nothing in the replay" not in answer.out


def test_a_converted_suite_validates_and_its_run_shows_the_dialogue_state(converted: Path, call: Caller):
    assert call("validate", str(converted), "--strict").code == 0
    answer = call("test", str(converted), "-q", "--no-output", "--no-journal")
    assert "joint goal accuracy" in answer.out
    assert "start flow (total count: 3)" in answer.out


def test_another_schema_says_the_same_in_other_words(tmp_path: Path):
    boats, kites = json.loads(json.dumps(BOATS)), json.loads(json.dumps(KITES))
    boats["service_name"], kites["service_name"] = "Boats_15", "Kites_25"
    boats["slots"][0]["name"] = "port"
    for one in boats["intents"]:
        one["required_slots"] = ["port", *one["required_slots"][1:]]
    boats["intents"][0]["name"] = "LookForVessel"
    (tmp_path / "v5.json").write_text(json.dumps([boats, kites]), encoding="utf-8")
    convert_services(write_data(tmp_path / "data"), tmp_path / "out", tmp_path / "v5.json")
    (case,) = load_suite([tmp_path / "out"])
    assert expected_of(case)[0] == [["StartFlow(Boats_15_LookForVessel)"]]
    assert expected_of(case)[1] == [["SetSlot(Boats_15_port, Oslo)", "RequestSlot(Boats_15_price)"]]


def test_a_schema_of_other_services_is_refused(tmp_path: Path):
    (tmp_path / "v5.json").write_text(json.dumps([KITES, BOATS]), encoding="utf-8")
    with pytest.raises(InputError, match="'Kites_2' stands where a variant of 'Boats_1' is expected"):
        convert_services(write_data(tmp_path / "data"), tmp_path / "out", tmp_path / "v5.json")


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigError, match="is not empty; name another folder"):
        convert_services(write_data(tmp_path / "data"), tmp_path / "out")


def test_data_without_a_schema_are_refused_with_a_hint(tmp_path: Path):
    with pytest.raises(InputError, match=r"schema.json: no such schema \(name the folder of one split"):
        convert_services(tmp_path, tmp_path / "out")


def test_a_dialogue_that_does_not_fit_its_schema_is_named(tmp_path: Path):
    strange = {"dialogue_id": "9", "turns": [user("hi", frame("Trains_1", "FindTrain", {}))]}
    with pytest.raises(InputError, match="the dialogue '9' does not fit the schema: KeyError"):
        convert_services(write_data(tmp_path / "data", strange), tmp_path / "out")


def test_in_multiwoz_an_intent_that_is_not_mentioned_goes_on(tmp_path: Path, call: Caller):
    data = write_data(tmp_path / "data")
    assert call("convert", "multiwoz", str(data), "-o", str(tmp_path / "out")).code == 0
    (case,) = load_suite([tmp_path / "out"])
    assert expected_of(case)[4] == [[], ["ChitChat()"]]


def test_slots_that_the_schema_lacks_are_left_out_and_told(tmp_path: Path):
    state = frame("Boats_1", "FindBoat", {"harbour": ["Oslo"], "moon": ["full"]}, "tide")
    odd = {"dialogue_id": "1", "turns": [user("Oslo", state)]}
    found = convert_services(write_data(tmp_path / "data", odd), tmp_path / "out")
    (case,) = load_suite([tmp_path / "out"])
    assert expected_of(case) == [[["StartFlow(Boats_1_FindBoat)", "SetSlot(Boats_1_harbour, Oslo)"]]]
    assert found.notes == ("left out because the schema does not have them: Boats_1 moon, Boats_1 tide",)


def test_combinations_of_right_values_are_limited_and_counted(tmp_path: Path):
    values = {name: [f"{name} {number}" for number in range(9)] for name in ("harbour", "day", "price")}
    many = {"dialogue_id": "1", "turns": [user("all", frame("Boats_1", "RentBoat", values))]}
    found = convert_services(write_data(tmp_path / "data", many), tmp_path / "out")
    (case,) = load_suite([tmp_path / "out"])
    assert len(case.user_steps[0].alternatives) == 64
    assert found.notes == ("1 step has more combinations of right values than the 64 that are written",)


def test_memory_does_not_grow_with_the_number_of_dialogues(tmp_path: Path):
    def peak(count: int) -> int:
        data = write_data(tmp_path / f"data{count}", *([DIALOGUE] * count))
        tracemalloc.start()
        convert_services(data, tmp_path / f"out{count}")
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(1600) < 1.5 * peak(400)
