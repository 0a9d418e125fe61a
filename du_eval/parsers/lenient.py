"""What a badly written command was meant to be: for telling a wrong form from a wrong answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import regex

from du_eval.commands.base import Command
from du_eval.commands.flows import Clarify, RestartAgent, SetSlot, StartFlow
from du_eval.commands.registry import CommandRegistry
from du_eval.commands.syntax import BUILT_IN_SYNTAXES
from du_eval.parsers.command_parser import CommandParser

_GAP = r"[\s_-]*"
_PARTS = regex.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SEPARATORS = regex.compile(r"[\s,;=:|]+")
_KEYS = frozenset(
    {"flow", "flow_name", "flow_id", "name", "slot", "slot_name", "value", "slot_value", "options"}
)
_MUST_FOLLOW_A_WORD = r"(?=\s*[\(\[\{:]|\W*$)"
"""A name of one word is often a word of prose."""
_LONGEST = 20_000
_AROUND = " \t'\"`()[]{}<>.,;:*"


def read_leniently(text: str, registry: CommandRegistry) -> tuple[Command, ...]:
    """Return the commands of a vocabulary that a text names in any spelling, case or kind of bracket.

    Only for explaining what went wrong: such a reading is a guess, and counts for no outcome.
    """
    for syntax in BUILT_IN_SYNTAXES.values():
        found = CommandParser(registry, syntax).parse(text)
        if found.commands and not found.unparsed:
            return found.commands
    names = _names(registry)
    return tuple(command for line in text[:_LONGEST].splitlines() for command in _in_line(line, names))


def _in_line(line: str, names: Mapping[str, type[Command]]) -> Iterator[Command]:
    marks = list(regex.finditer("|".join(names), line, regex.IGNORECASE, timeout=1.0))
    ends = [mark.start() for mark in marks[1:]] + [len(line)]
    for mark, end in zip(marks, ends, strict=False):
        name = next(name for name in names if regex.match(name, line[mark.start() :], regex.I))
        command = _command(names[name], line[mark.end() : end])
        if command is not None:
            yield command


def _names(registry: CommandRegistry) -> Mapping[str, type[Command]]:
    """Return patterns for the names of commands: of classes, of reports, and of phrases."""
    found: dict[str, type[Command]] = {}
    for command in registry:
        spelled = {command.__name__, command.name}
        for syntax in BUILT_IN_SYNTAXES.values():
            spelling = syntax.spellings.get(command)
            spelled |= {spelling.template.split("{")[0].strip()} if spelling else set()
        for name in spelled:
            words = _PARTS.findall(name)
            behind = r"(?![^\W_])" if len(words) > 1 else _MUST_FOLLOW_A_WORD
            found[rf"(?<![^\W_]){_GAP.join(words)}{behind}"] = command
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def _command(kind: type[Command], rest: str) -> Command | None:
    words = [word.strip(_AROUND) for word in _SEPARATORS.split(rest.strip(_AROUND))]
    words = [word for word in words if word and word.casefold() not in _KEYS]
    if issubclass(kind, StartFlow | RestartAgent):
        return kind(words[0]) if words else None
    if issubclass(kind, Clarify):
        return kind(tuple(words))
    if issubclass(kind, SetSlot):
        return _slot(kind, words, rest)
    try:
        return kind.from_arguments({})
    except (TypeError, ValueError):
        return None


def _slot(kind: type[SetSlot], words: list[str], rest: str) -> SetSlot | None:
    if len(words) < 2:
        return None
    value = rest[rest.index(words[0]) + len(words[0]) :]
    value = regex.sub(r"^[\s,;=:|'\")\]]*(?:(?:slot_)?value\s*[=:]\s*)?", "", value)
    return kind(words[0], value.strip(_AROUND))
