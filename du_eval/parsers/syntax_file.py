"""A syntax of the user's own, from a YAML file."""

from __future__ import annotations

import string
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import regex

from du_eval.commands.base import Command
from du_eval.commands.foreign import MANTLE
from du_eval.commands.registry import DEFAULT_COMMANDS, FURTHER_COMMANDS, find_known_command
from du_eval.commands.syntax import BUILT_IN_SYNTAXES, Spelling, Syntax, find_built_in_syntax
from du_eval.errors import ConfigError, Problem, did_you_mean
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import YamlMap, parse_yaml

_KEYS = ("regex", "print", "separator")
_FIELDS: dict[str, tuple[str, ...]] = {
    "StartFlow": ("flow",),
    "SetSlot": ("name", "value"),
    "Clarify": ("options",),
    "RestartAgent": ("agent_id",),
    "CannotHandle": ("reason",),
}
_OPTIONAL_FIELDS = {"reason"}


def load_syntax(name: str) -> Syntax:
    """Return a built-in syntax by name, or the one that a YAML file defines."""
    built_in = MANTLE if name == MANTLE.name else find_built_in_syntax(name)
    if built_in is not None:
        return built_in
    path = Path(name)
    if not path.is_file():
        known = [*BUILT_IN_SYNTAXES, MANTLE.name]
        near = did_you_mean(name, known) or "use " + ", ".join(known)
        raise ConfigError(f"unknown syntax '{name}': neither a built-in one nor a file ({near})")
    return read_syntax(read_text_file(path), name)


@lru_cache(maxsize=32)
def read_syntax(text: str, file: str) -> Syntax:
    """Return the syntax that a YAML text defines."""
    root = parse_yaml(text, file).root
    commands = root.get("commands") if isinstance(root, YamlMap) else None
    if not isinstance(commands, YamlMap) or len(root) != 1:
        message = "a syntax file holds one key, 'commands': command -> regex and print"
        raise ConfigError(Problem(file, 1, message))
    problems: list[Problem] = []
    spellings: dict[type[Command], Spelling] = {}
    for name, entry in commands.items():
        found = [Problem(file, *problem) for problem in _entry_problems(name, entry, commands.lines[name])]
        command = find_known_command(name)
        if command in spellings:
            message = f"'{name}' is another name of {command.__name__}, which already has a spelling"
            found.append(Problem(file, commands.lines[name], message, "keep one"))
        problems.extend(found)
        if command is not None and not found:
            spellings[command] = Spelling(entry["regex"], entry["print"], str(entry.get("separator") or " "))
    if problems:
        raise ConfigError(problems)
    return Syntax(file, spellings)


Finding = tuple[int, str, str]


def _entry_problems(name: str, entry: object, line: int) -> Iterator[Finding]:
    """Yield line, message and hint of each mistake in the spelling of one command."""
    command = find_known_command(name)
    if command is None:
        names = [known.__name__ for known in (*DEFAULT_COMMANDS, *FURTHER_COMMANDS)]
        yield line, f"unknown command '{name}'", did_you_mean(name, names) or "known: " + ", ".join(names)
        return
    if not isinstance(entry, YamlMap):
        yield line, f"'{name}' needs the keys regex and print", ""
        return
    for key in entry:
        if key not in _KEYS:
            yield entry.lines[key], f"unknown key '{key}'", did_you_mean(key, _KEYS)
        elif not isinstance(entry[key], str):
            yield entry.lines[key], f"'{key}' must be a string", "put it in single quotes"
    for key in ("regex", "print"):
        if key not in entry:
            yield line, f"'{name}' has no {key}", "it needs the keys regex and print"
    fields = _FIELDS.get(command.__name__, ())
    if isinstance(entry.get("regex"), str):
        yield from ((entry.lines["regex"], *found) for found in _regex_problems(entry["regex"], fields))
    if isinstance(entry.get("print"), str):
        yield from ((entry.lines["print"], *found) for found in _template_problems(entry["print"], fields))


def _regex_problems(pattern: str, fields: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        yield f"not a valid regular expression: {error}", ""
        return
    if compiled.match(""):
        yield "the regular expression matches an empty string", ""
    needed = [field for field in fields if field not in _OPTIONAL_FIELDS]
    named = [field for field in needed if field in compiled.groupindex]
    if compiled.groups < len(needed) or (named and named != needed):
        groups = " and ".join(f"(?P<{field}>...)" for field in fields)
        yield f"the regular expression needs a group for each argument: {groups}", ""


def _template_problems(template: str, fields: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    try:
        used = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
        if used <= set(fields):
            template.format_map(dict.fromkeys(fields, ""))
    except ValueError as error:
        yield f"not a valid pattern to print: {error}", "write { and } twice where they are meant"
        return
    for name in sorted(used - set(fields)):
        known = "known: " + ", ".join(fields) if fields else "it has no arguments"
        yield f"unknown argument '{name}'", did_you_mean(name, fields) or known
    for field in fields:
        if field not in used and field not in _OPTIONAL_FIELDS:
            yield f"the pattern to print leaves out {{{field}}}", ""
