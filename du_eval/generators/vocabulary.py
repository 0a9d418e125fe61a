"""The commands as a model is told about them: spelled, explained, and as tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from du_eval.commands.base import Command
from du_eval.commands.flows import (
    CancelFlow,
    ChitChat,
    Clarify,
    HumanHandoff,
    RepeatLastBotMessages,
    SearchAndReply,
    SetSlot,
    SkipQuestion,
    StartFlow,
)
from du_eval.commands.registry import CommandRegistry
from du_eval.commands.syntax import Syntax
from du_eval.errors import CommandReadError
from du_eval.parsers.tool_calls import command_from_data

_EXAMPLES: Mapping[type[Command], Command] = {
    StartFlow: StartFlow("flow_name"),
    SetSlot: SetSlot("slot_name", "slot_value"),
    Clarify: Clarify(("flow_name_1", "flow_name_2")),
}
_MEANINGS: Mapping[type[Command], str] = {
    StartFlow: "the user wants what this flow does",
    SetSlot: "the message gives a value for this slot",
    Clarify: "several flows fit and the user has to choose between them",
    CancelFlow: "the user does not want to go on with the active flow",
    ChitChat: "small talk, greetings, or something off topic",
    SearchAndReply: "a question about facts that is answered from a knowledge base",
    HumanHandoff: "the user wants to talk to a person",
    SkipQuestion: "the user does not want to answer the question asked",
    RepeatLastBotMessages: "the user wants to hear the last messages again",
}


def commands_for_prompt(registry: CommandRegistry, syntax: Syntax) -> list[dict[str, Any]]:
    """Return the commands with their spelling, meaning and data form."""
    found = []
    for command in registry:
        example = _example(command)
        found.append(
            {
                "name": command.name,
                "text": syntax.print(example) if example else syntax.pattern_of(command),
                "meaning": _meaning(command),
                "data": example.as_dict() if example else {"command": command.name},
            }
        )
    return found


def _example(command: type[Command]) -> Command | None:
    known = _EXAMPLES.get(command)
    if known is not None:
        return known
    parent = next((kind for kind in command.__mro__ if kind in _EXAMPLES), None)
    try:
        arguments = _EXAMPLES[parent].arguments() if parent else _placeholders(command)
        return command.from_arguments(arguments)
    except (TypeError, ValueError):
        return None


def _placeholders(command: type[Command]) -> dict[str, object]:
    return {field.name: field.name for field in fields(command)} if is_dataclass(command) else {}


def _meaning(command: type[Command]) -> str:
    known = next((_MEANINGS[kind] for kind in command.__mro__ if kind in _MEANINGS), "")
    return known or (command.__doc__ or command.name).strip().split("\n")[0]


def tools_for(registry: CommandRegistry, flows: Sequence[str]) -> list[dict[str, Any]]:
    """Return the commands as tools of a chat model."""
    return [
        {
            "type": "function",
            "function": {
                "name": command.__name__,
                "description": _meaning(command),
                "parameters": _parameters(command, flows),
            },
        }
        for command in registry
    ]


def _parameters(command: type[Command], flows: Sequence[str]) -> dict[str, Any]:
    flow: dict[str, Any] = {"type": "string", **({"enum": list(flows)} if flows else {})}
    if issubclass(command, StartFlow):
        properties: dict[str, Any] = {"flow": flow}
    elif issubclass(command, SetSlot):
        properties = {"name": {"type": "string"}, "value": {"type": ["string", "null"]}}
    elif issubclass(command, Clarify):
        properties = {"options": {"type": "array", "items": flow}}
    else:
        properties = {name: {"type": "string"} for name in _placeholders(command)}
    return {"type": "object", "properties": properties, "required": list(properties)}


def readable(items: Iterable[object], registry: CommandRegistry) -> Iterator[Mapping[str, Any] | str]:
    """Yield commands given as data; what makes no command becomes text, so that it shows as unparsed."""
    for item in items:
        if isinstance(item, str) or (isinstance(item, Mapping) and _is_command(item, registry)):
            yield item
        else:
            yield json.dumps(item, ensure_ascii=False)


def _is_command(item: Mapping[str, object], registry: CommandRegistry) -> bool:
    try:
        return command_from_data(item, registry) is not None
    except (CommandReadError, ValueError, TypeError):
        return False
