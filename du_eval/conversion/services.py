"""Schema-Guided Dialogue, SGD-X and MultiWOZ 2.2 into a suite with its assistant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from du_eval.conversion.json_items import stream_items
from du_eval.conversion.service_dialogues import MOST_ALTERNATIVES, DialogueConverter, RenderedCase
from du_eval.conversion.service_schema import Service, ServiceSlot, identify, read_services, spell_words
from du_eval.conversion.suite_folder import (
    CaseFiles,
    Converted,
    claim_folder,
    make_talking_flow,
    make_talking_patterns,
    write_yaml,
)
from du_eval.errors import InputError, Problem

_SCHEMA = "schema.json"
_SETTINGS = {"additional_commands": ["RequestSlot"], "goals": True}


def convert_services(
    source: Path, folder: Path, schema: Path | None = None, *, none_ends: bool = True
) -> Converted:
    """Write the dialogues below a folder as a suite, and their schema as its assistant.

    Another schema (SGD-X) gives services, slots and intents other names and descriptions.
    """
    base = source / _SCHEMA if source.is_dir() else source.parent / _SCHEMA
    if not base.is_file():
        hint = "name the folder of one split: the one that holds schema.json and the dialogues"
        raise InputError(Problem(str(base), 0, "no such schema", hint))
    services = read_services(base, schema)
    files = list(_dialogue_files(source))
    if not files:
        hint = "folders below it that have a schema of their own are converted one by one"
        raise InputError(Problem(str(source), 0, "no dialogues*.json files here", hint))
    claim_folder(folder)
    write_assistant(folder, services.values())
    write_yaml(folder / "du-eval.yaml", _SETTINGS)
    return _write_cases(files, folder, services, none_ends=none_ends)


def _write_cases(
    files: list[Path], folder: Path, services: dict[str, Service], *, none_ends: bool
) -> Converted:
    converter = DialogueConverter(services, none_ends=none_ends)
    cases = steps = written = reduced = 0
    unknown: dict[str, None] = {}
    for number, file in enumerate(files, start=1):
        prefix = file.stem if len(files) == 1 else f"{number:03}_{file.parent.name}_{file.stem}"
        target = CaseFiles(folder / "tests", prefix)
        for dialogue in stream_items(file):
            case = convert_dialogue(converter, dialogue, file)
            target.add(case.name, case.steps)
            reduced += case.reduced
            unknown |= dict.fromkeys(case.unknown)
        target.close()
        cases, steps, written = cases + target.cases, steps + target.steps, written + target.files
    return Converted(cases, steps, written, tuple(_notes(reduced, list(unknown))))


def _notes(reduced: int, unknown: list[str]) -> Iterator[str]:
    if reduced:
        have = "step has" if reduced == 1 else "steps have"
        limit = f"the {MOST_ALTERNATIVES} that are written"
        yield f"{reduced} {have} more combinations of right values than {limit}"
    if unknown:
        yield f"left out because the schema does not have them: {', '.join(unknown)}"


def convert_dialogue(converter: DialogueConverter, dialogue: Any, file: Path) -> RenderedCase:
    """Return a dialogue of a file as a case; one that does not fit its schema is named."""
    try:
        return converter.convert(dialogue)
    except (KeyError, TypeError, AttributeError) as error:
        name = dialogue.get("dialogue_id", "?") if isinstance(dialogue, dict) else "?"
        message = f"the dialogue '{name}' does not fit the schema: {error!r}"
        raise InputError(Problem(str(file), 0, message, "is this the schema of these dialogues?")) from error


def _dialogue_files(source: Path) -> Iterator[Path]:
    """Yield the files of a split, without those of other splits below it."""
    if source.is_file():
        yield source
        return
    for file in sorted(source.rglob("dialogues*.json")):
        folders = [folder for folder in file.parents if folder.is_relative_to(source) and folder != source]
        if not any((folder / _SCHEMA).is_file() for folder in folders):
            yield file


DONT_CARE = "dontcare"


def write_assistant(folder: Path, services: Iterable[Service]) -> None:
    """Write the flows and the domain of services, one file for each service, and the bot's manners."""
    for service in services:
        file = f"{service.name}.yml"
        write_yaml(folder / "domain" / file, _domain(service))
        write_yaml(folder / "data" / file, {"flows": dict(_flows(service))})
    write_yaml(folder / "data" / "patterns.yml", {"flows": make_talking_patterns()})


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
            make_talking_flow(spell_words(intent.name), description, collects),
        )
