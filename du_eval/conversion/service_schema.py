"""Schemas of Schema-Guided Dialogue, SGD-X and MultiWOZ: services with intents and slots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, ValidationError, convert, field, to_builtins

from du_eval.commands.base import NULL_WORDS
from du_eval.conversion.json_items import stream_items
from du_eval.errors import InputError, Problem

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class ServiceSlot(Struct, frozen=True):
    """A slot of a service."""

    name: str
    description: str = ""
    is_categorical: bool = False
    values: tuple[str, ...] = ()


class ServiceIntent(Struct, frozen=True):
    """What a user may want from a service."""

    name: str
    description: str = ""
    slots: tuple[str, ...] = ()
    """What it takes: the required slots first."""


class Service(Struct, frozen=True):
    """A service, with the names that its parts have in the converted suite."""

    name: str
    description: str = ""
    slots: tuple[ServiceSlot, ...] = ()
    intents: tuple[ServiceIntent, ...] = ()
    flow_ids: Mapping[str, str] = field(default_factory=dict)
    """The flow of each intent, under the name that dialogues use."""
    slot_ids: Mapping[str, str] = field(default_factory=dict)
    """The slot of the assistant for each slot, under the name that dialogues use."""


def spell_value(value: object) -> str:
    """Return a value as commands can hold it: a category called None is not the lack of a value."""
    text = str(value).strip()
    return "none" if text in NULL_WORDS else text


def spell_words(name: str) -> str:
    """Return a name as words: SearchOnewayFlight as search oneway flight."""
    return " ".join(word.lower() for word in _WORD.findall(name)) or name


def read_services(schema: Path, variant: Path | None = None) -> dict[str, Service]:
    """Return the services of a schema by the names that dialogues use.

    A variant (SGD-X) says the same in other words: its services, slots and intents stand in the same order.
    """
    services = [_read_service(item, schema) for item in stream_items(schema)]
    if not services:
        raise InputError(Problem(str(schema), 1, "there are no services here", "name the schema of the data"))
    if variant is None:
        return {service.name: _named(service, service) for service in services}
    others = [_read_service(item, variant) for item in stream_items(variant)]
    problems = list(_differences(services, others, variant))
    if problems:
        raise InputError(problems)
    return {old.name: _named(old, new) for old, new in zip(services, others, strict=True)}


def _read_service(item: Any, file: Path) -> Service:
    try:
        found = Service(
            name=item["service_name"],
            description=item.get("description", ""),
            slots=tuple(
                ServiceSlot(
                    slot["name"],
                    slot.get("description", ""),
                    bool(slot.get("is_categorical")),
                    tuple(map(spell_value, slot.get("possible_values") or ())),
                )
                for slot in item["slots"]
            ),
            intents=tuple(
                ServiceIntent(
                    intent["name"],
                    intent.get("description", ""),
                    (*intent.get("required_slots", ()), *intent.get("optional_slots", ())),
                )
                for intent in item["intents"]
            ),
        )
        return convert(to_builtins(found), Service)
    except (KeyError, TypeError, AttributeError, ValidationError) as error:
        message = f"this is not a schema of services: {error!r}"
        raise InputError(
            Problem(str(file), 0, message, "it lists service_name, slots and intents")
        ) from error


def _differences(services: Sequence[Service], others: Sequence[Service], file: Path) -> Iterator[Problem]:
    if len(services) != len(others):
        yield Problem(str(file), 0, f"it has {len(others)} services instead of {len(services)}")
        return
    for old, new in zip(services, others, strict=True):
        if not new.name.startswith(old.name):
            yield Problem(str(file), 0, f"'{new.name}' stands where a variant of '{old.name}' is expected")
        elif (len(old.slots), len(old.intents)) != (len(new.slots), len(new.intents)):
            yield Problem(str(file), 0, f"'{new.name}' does not have the slots and intents of '{old.name}'")


def _named(old: Service, new: Service) -> Service:
    """Return a service in its new words, to be found under the old ones."""
    return Service(
        new.name,
        new.description,
        new.slots,
        new.intents,
        {a.name: identify(new.name, b.name) for a, b in zip(old.intents, new.intents, strict=True)},
        {a.name: identify(new.name, b.name) for a, b in zip(old.slots, new.slots, strict=True)},
    )


def identify(service: str, name: str) -> str:
    """Return the id of a flow or slot: the service comes first, so that no two services share one."""
    whole = name if name.startswith(f"{service}-") else f"{service}_{name}"
    return re.sub(r"\W+", "_", whole)
