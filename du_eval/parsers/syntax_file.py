"""A syntax of the user's own, from a YAML file."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from pathlib import Path
from typing import Any

import regex

from du_eval.commands.base import Command
from du_eval.commands.registry import DEFAULT_COMMANDS, FURTHER_COMMANDS, known_command
from du_eval.commands.syntax import BUILT_IN_SYNTAXES, Spelling, Syntax, built_in_syntax
from du_eval.errors import ConfigError, Problem, did_you_mean
from du_eval.parsers.yaml_parser import YamlMap, parse_yaml

_KEYS = ("regex", "print", "separator")
_FIELDS: dict[str, tuple[str, ...]] = {
    "StartFlow": ("flow",),
    "SetSlot": ("name", "value"),
    "Clarify": ("options",),
    "RestartAgent": ("agent_id",),
    "CannotHandle": ("reason",),
}


@lru_cache(maxsize=32)
def load_syntax(name: str) -> Syntax:
    """Return a built-in syntax by name, or the one that a YAML file defines."""
    built_in = built_in_syntax(name)
    if built_in is not None:
        return built_in
    path = Path(name)
    if not path.is_file():
        near = did_you_mean(name, BUILT_IN_SYNTAXES) or "use " + ", ".join(BUILT_IN_SYNTAXES)
        raise ConfigError(f"unknown syntax '{name}': neither a built-in one nor a file ({near})")
    return read_syntax(path.read_text(encoding="utf-8"), name)


def read_syntax(text: str, file: str) -> Syntax:
    """Return the syntax that a YAML text defines."""
    root = parse_yaml(text, file).root
    commands = root.get("commands") if isinstance(root, YamlMap) else None
    if not isinstance(commands, YamlMap) or len(root) != 1:
        raise ConfigError(Problem(file, 1, "a syntax file holds one key, 'commands': command -> regex and print"))
    problems: list[Problem] = []
    spellings: dict[type[Command], Spelling] = {}
    for name, entry in commands.items():
        command, spelling = _entry(name, entry, commands.lines[name], file, problems)
        if command and spelling:
            spellings[command] = spelling
    if problems:
        raise ConfigError(problems)
    return Syntax(file, spellings)


def _entry(
    name: str, entry: Any, line: int, file: str, problems: list[Problem]
) -> tuple[type[Command] | None, Spelling | None]:
    command = known_command(name)
    if command is None:
        names = [known.__name__ for known in (*DEFAULT_COMMANDS, *FURTHER_COMMANDS)]
        problems.append(Problem(file, line, f"unknown command '{name}'", did_you_mean(name, names)))
        return None, None
    if not isinstance(entry, YamlMap) or not entry.get("regex") or not entry.get("print"):
        problems.append(Problem(file, line, f"'{name}' needs the keys regex and print"))
        return command, None
    for key in entry:
        if key not in _KEYS:
            problems.append(Problem(file, entry.lines[key], f"unknown key '{key}'", did_you_mean(key, _KEYS)))
    _check_regex(command, entry, file, problems)
    _check_template(command, entry, file, problems)
    return command, Spelling(entry["regex"], entry["print"], str(entry.get("separator") or " "))


def _check_regex(command: type[Command], entry: YamlMap, file: str, problems: list[Problem]) -> None:
    line, fields = entry.lines["regex"], _FIELDS.get(command.__name__, ())
    try:
        compiled = regex.compile(entry["regex"])
    except regex.error as error:
        problems.append(Problem(file, line, f"not a valid regular expression: {error}"))
        return
    if compiled.match(""):
        problems.append(Problem(file, line, "the regular expression matches an empty text"))
    if compiled.groups < len(fields):
        named = " and ".join(f"(?P<{field}>...)" for field in fields)
        problems.append(Problem(file, line, f"the regular expression needs a group for each argument: {named}"))


def _check_template(command: type[Command], entry: YamlMap, file: str, problems: list[Problem]) -> None:
    line, fields = entry.lines["print"], _FIELDS.get(command.__name__, ())
    try:
        used = {name for _, name, _, _ in string.Formatter().parse(entry["print"]) if name is not None}
    except ValueError as error:
        problems.append(Problem(file, line, f"not a valid pattern to print: {error}"))
        return
    for name in used - set(fields):
        hint = did_you_mean(name, fields) or ("known: " + ", ".join(fields) if fields else "it has no arguments")
        problems.append(Problem(file, line, f"{command.__name__} has no argument '{re.escape(name)}'", hint))
