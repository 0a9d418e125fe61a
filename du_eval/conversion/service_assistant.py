"""A schema of services into an assistant: each intent a flow, each slot a slot."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from du_eval.conversion.service_schema import Service, ServiceIntent, ServiceSlot, identify, spell_words
from du_eval.conversion.suite_folder import write_yaml

DONT_CARE = "dontcare"
_TALK, _LISTEN = "action_trigger_chitchat", "action_listen"
_SILENT = (
    "pattern_search",
    "pattern_correction",
    "pattern_continue_interrupted",
    "pattern_clarification",
    "pattern_cannot_handle",
    "pattern_skip_question",
    "pattern_human_handoff",
)


def write_assistant(folder: Path, services: Iterable[Service]) -> None:
    """Write the flows and the domain of services, one file for each service, and the bot's manners."""
    for service in services:
        file = f"{service.name}.yml"
        write_yaml(folder / "domain" / file, _domain(service))
        write_yaml(folder / "data" / file, {"flows": dict(_flows(service))})
    write_yaml(folder / "data" / "patterns.yml", {"flows": _patterns()})


def _domain(service: Service) -> dict[str, Any]:
    ids = {slot.name: identify(service.name, slot.name) for slot in service.slots}
    questions = {slot.name: slot.description or spell_words(slot.name) for slot in service.slots}
    return {
        "slots": {ids[slot.name]: _slot(slot) for slot in service.slots},
        "responses": {f"utter_ask_{ids[name]}": [{"text": f"{text}?"}] for name, text in questions.items()},
    }


def _slot(slot: ServiceSlot) -> dict[str, Any]:
    mappings = {"mappings": [{"type": "from_llm"}]}
    if {value.lower() for value in slot.values} == {"true", "false"}:
        return {"type": "bool", **mappings}
    if slot.is_categorical and slot.values:
        values = list(dict.fromkeys([*slot.values, DONT_CARE]))
        return {"type": "categorical", "values": values, **mappings}
    return {"type": "text", **mappings}


def _flows(service: Service) -> Iterable[tuple[str, dict[str, Any]]]:
    descriptions = {slot.name: slot.description for slot in service.slots}
    taken = dict.fromkeys(name for intent in service.intents for name in intent.slots)
    for intent in service.intents:
        names = [name for name in dict.fromkeys((*intent.slots, *taken)) if name in descriptions]
        collects = [
            {
                "collect": identify(service.name, name),
                "description": descriptions[name] or spell_words(name),
                "reset_after_flow_ends": False,
            }
            for name in names
        ]
        yield identify(service.name, intent.name), _flow(service, intent, collects)


def _flow(service: Service, intent: ServiceIntent, collects: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a flow that takes its slots in any order, and leaves the talking to the bot of the file."""
    about = intent.description or spell_words(intent.name)
    steps: list[dict[str, Any]] = [
        {"id": "talk", "action": _TALK},
        {"action": _LISTEN, "next": "talk"},
    ]
    if collects:
        collects[-1]["next"] = "talk"
        never = {"if": f"slots.{collects[0]['collect']} is 'asked by the bot of the file'", "then": collects}
        steps[1]["next"] = [never, {"else": "talk"}]
    return {
        "name": spell_words(intent.name),
        "description": ". ".join(filter(None, (about, service.description))),
        "steps": steps,
    }


def _patterns() -> dict[str, Any]:
    """Return patterns for a bot whose words stand in the test file: one message a turn, whatever it says."""
    silent = [{"noop": True, "next": "END"}]
    talks = [{"action": _TALK}]
    correction = [{"action": "action_correct_flow_slot"}]
    return {
        **{name: {"steps": silent} for name in _SILENT},
        "pattern_correction": {"steps": correction},
        "pattern_cancel_flow": {"steps": [{"action": "action_cancel_flow"}]},
        "pattern_completed": {"steps": talks},
        "pattern_chitchat": {"steps": talks},
    }
