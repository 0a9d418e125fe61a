"""Schema-Guided Dialogue, SGD-X and MultiWOZ 2.2 into a suite with its assistant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from du_eval.conversion.json_items import stream_items
from du_eval.conversion.service_assistant import write_assistant
from du_eval.conversion.service_dialogues import MOST_ALTERNATIVES, DialogueConverter, RenderedCase
from du_eval.conversion.service_schema import Service, read_services
from du_eval.conversion.suite_folder import CaseFiles, Converted, claim_folder, write_yaml
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
        raise InputError(Problem(str(base), 0, "there is no such schema", hint))
    services = read_services(base, schema)
    files = list(_dialogue_files(source))
    if not files:
        hint = "folders below it that have a schema of their own are converted one by one"
        raise InputError(Problem(str(source), 0, "there are no files dialogues*.json here", hint))
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
            case = _converted(converter, dialogue, file)
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
        yield f"left out, since the schema does not have them: {', '.join(unknown)}"


def _converted(converter: DialogueConverter, dialogue: Any, file: Path) -> RenderedCase:
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
