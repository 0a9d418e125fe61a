"""A small made-up data set in the format of Schema-Guided Dialogue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def slot(name: str, *values: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": f"the {name.replace('_', ' ')}",
        "is_categorical": bool(values),
        "possible_values": list(values),
    }


def intent(name: str, *slots: str) -> dict[str, Any]:
    return {"name": name, "description": "", "required_slots": list(slots), "optional_slots": {}}


def service(name: str, slots: list[dict[str, Any]], intents: list[dict[str, Any]]) -> dict[str, Any]:
    return {"service_name": name, "description": f"All about {name}", "slots": slots, "intents": intents}


BOATS = service(
    "Boats_1",
    [
        slot("harbour"),
        slot("day"),
        slot("crew", "True", "False"),
        slot("meal", "None", "Soup"),
        slot("price"),
    ],
    [intent("FindBoat", "harbour"), intent("RentBoat", "harbour", "day", "crew", "meal")],
)
KITES = service("Kites_2", [slot("colour")], [intent("BuyKite", "colour")])


def frame(
    name: str, intent_name: str, values: dict[str, list[str]], *requested: str, acts: tuple[str, ...] = ()
) -> dict[str, Any]:
    state = {"active_intent": intent_name, "slot_values": values, "requested_slots": list(requested)}
    return {"service": name, "state": state, "actions": [{"act": act} for act in acts]}


def user(text: str, *frames: dict[str, Any]) -> dict[str, Any]:
    return {"speaker": "USER", "utterance": text, "frames": list(frames)}


def system(text: str, service_name: str = "", asked: str = "") -> dict[str, Any]:
    actions = [{"act": "REQUEST", "slot": asked}] if asked else []
    return {
        "speaker": "SYSTEM",
        "utterance": text,
        "frames": [{"service": service_name or "Boats_1", "actions": actions}],
    }


DIALOGUE = {
    "dialogue_id": "7_00001",
    "turns": [
        user("A boat please", frame("Boats_1", "FindBoat", {})),
        system("Which harbour?", "Boats_1", "harbour"),
        user("Oslo, what does it cost?", frame("Boats_1", "FindBoat", {"harbour": ["Oslo"]}, "price")),
        system("90. For which day?", "Boats_1", "day"),
        user(
            "Rent it for Sunday, no meal",
            frame("Boats_1", "RentBoat", {"harbour": ["Oslo"], "day": ["Sunday"], "meal": ["None"]}),
        ),
        system("Sunday, the 3rd. Done."),
        user(
            "And a red kite",
            frame(
                "Boats_1",
                "RentBoat",
                {"harbour": ["Oslo"], "day": ["Sunday", "the 3rd"], "meal": ["None"]},
            ),
            frame("Kites_2", "BuyKite", {"colour": ["red"]}),
        ),
        system("Here it is."),
        user("That's all", frame("Kites_2", "NONE", {"colour": ["red"]}, acts=("THANK_YOU",))),
        system("Bye"),
    ],
}


def write_data(folder: Path, *dialogues: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schema.json").write_text(json.dumps([BOATS, KITES]), encoding="utf-8")
    found = list(dialogues) or [DIALOGUE]
    (folder / "dialogues_001.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return folder
