"""Commands given as data: dictionaries, JSON lists and the tool calls of chat models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from du_eval.commands.base import Command
from du_eval.commands.registry import CommandRegistry
from du_eval.errors import CommandReadError

Parsed = tuple[tuple[Command, ...], tuple[str, ...]]
_FENCE = "```"
_WRAPPERS = ("commands", "actions", "tool_calls", "choices", "message")


def find_commands_in_json(
    text: str, registry: CommandRegistry, read_text: Callable[[str], Parsed]
) -> Parsed | None:
    """Return the commands in a text that is JSON or has JSON between fences; None where there are none."""
    before, body, after = _around_json(text)
    if not body.startswith(("{", "[")):
        return None
    try:
        items = list(_items(json.loads(body)))
        if items and not any(isinstance(item, str) or read_name(item) for item in items):
            return None
        parts = [
            read_text(item) if isinstance(item, str) else _one(item, registry, read_text) for item in items
        ]
    except (ValueError, RecursionError):
        return None
    parts = [read_text(before), *parts, read_text(after)]
    return tuple(c for found, _ in parts for c in found), tuple(t for _, rest in parts for t in rest)


def _around_json(text: str) -> tuple[str, str, str]:
    """Return what stands before, in and after the first pair of fences; without them, all of it is in."""
    before, _, rest = text.partition(_FENCE)
    language, _, rest = rest.partition("\n")
    body, _, after = rest.partition(_FENCE)
    is_fenced = _FENCE in text and not text.lstrip().startswith(("{", "["))
    if is_fenced and (not language.strip() or language.strip().isalnum()):
        return before, body.strip(), after
    return "", text.strip(), ""


def is_command_data(data: object) -> bool:
    """Tell whether something is a dictionary or tool call that names a command, known or not."""
    return bool(read_name(data))


def read_command_data(data: Mapping[str, object], registry: CommandRegistry) -> Command | None:
    """Return the command of a dictionary or tool call, or None where its name is unknown."""
    call = data.get("function") if isinstance(data.get("function"), Mapping) else data
    assert isinstance(call, Mapping)
    name = read_name(call)
    command = registry.find(name) if name else None
    if command is None:
        return None
    arguments = _arguments(call)
    try:
        return command.from_arguments(arguments)
    except Exception as error:
        raise CommandReadError(
            f"{command.__name__} cannot be created from {dict(arguments)!r}: {error}"
        ) from error


def _one(item: object, registry: CommandRegistry, read_text: Callable[[str], Parsed]) -> Parsed:
    if isinstance(item, Mapping):
        try:
            command = read_command_data(item, registry)
        except CommandReadError:
            command = None
        if command is not None:
            return (command,), ()
        commands, unparsed = read_text(_call_text(item))
        if commands and not unparsed:
            return commands, ()
    return (), (json.dumps(item, ensure_ascii=False),)


def _call_text(item: Mapping[str, Any]) -> str:
    """Return a tool call as a call in text: `name(key=value)`; a syntax may spell commands like that."""
    name = read_name(item)
    call = item["function"] if isinstance(item.get("function"), Mapping) else item
    try:
        arguments = _arguments(call) if name else {}
    except CommandReadError:
        return ""
    values = list(arguments.values())
    if len(values) == 1 and isinstance(values[0], Mapping):
        arguments = values[0]
    written = (f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
    return f"{name}({', '.join(written)})" if name else ""


def _items(data: object, depth: int = 0) -> Iterator[object]:
    """Yield what may be commands: items of lists, and what known wrappers hold."""
    if isinstance(data, list):
        for item in data:
            yield from _items(item, depth + 1) if isinstance(item, list | dict) and depth < 5 else [item]
        return
    if isinstance(data, dict) and not read_name(data):
        for key in _WRAPPERS:
            if isinstance(data.get(key), list | dict) and depth < 5:
                yield from _items(data[key], depth + 1)
                return
    yield data


def read_name(data: object) -> str:
    """Return the name that a dictionary or tool call gives its command, or nothing."""
    if not isinstance(data, Mapping):
        return ""
    if isinstance(data.get("function"), Mapping):
        return read_name(data["function"])
    if isinstance(data.get("command"), str):
        return str(data["command"])
    if isinstance(data.get("name"), str) and ("arguments" in data or "parameters" in data or "input" in data):
        return str(data["name"])
    return ""


def _arguments(call: Mapping[str, Any]) -> Mapping[str, Any]:
    if "command" in call:
        given = {key: value for key, value in call.items() if key != "command"}
        return given.get("arguments", given) if isinstance(given.get("arguments"), Mapping) else given
    arguments: Any = next((call[key] for key in ("arguments", "parameters", "input") if key in call), {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise CommandReadError(f"the arguments are not valid JSON: {arguments!r}") from error
    if not isinstance(arguments, Mapping):
        raise CommandReadError(f"the arguments are not an object: {arguments!r}")
    return arguments
