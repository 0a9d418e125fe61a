"""A schema of services into an assistant: each intent a flow, each slot a slot."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from du_eval.conversion.service_schema import Service, ServiceSlot, identify, spell_words
from du_eval.conversion.suite_folder import write_yaml
from du_eval.conversion.talking_flows import talking_flow, talking_patterns

DONT_CARE = "dontcare"


def write_assistant(folder: Path, services: Iterable[Service]) -> None:
    """Write the flows and the domain of services, one file for each service, and the bot's manners."""
    for service in services:
        file = f"{service.name}.yml"
        write_yaml(folder / "domain" / file, _domain(service))
        write_yaml(folder / "data" / file, {"flows": dict(_flows(service))})
    write_yaml(folder / "data" / "patterns.yml", {"flows": talking_patterns()})


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
        about = intent.description or spell_words(intent.name)
        description = ". ".join(filter(None, (about, service.description)))
        yield (
            identify(service.name, intent.name),
            talking_flow(spell_words(intent.name), description, collects),
        )
