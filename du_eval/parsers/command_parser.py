"""Text into commands, losing nothing: what no command claims is kept as unparsed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache

import regex
from msgspec import Struct

from du_eval.commands.base import Command, MatchedText
from du_eval.commands.registry import CommandRegistry, default_commands
from du_eval.commands.syntax import Syntax
from du_eval.parsers.patterns import CommandPattern, compile_patterns, read_match
from du_eval.parsers.tool_calls import find_commands_in_json, read_name

_CALL = regex.compile(r"(?<![\w.])(?P<name>[A-Z]\w*|[a-z]\w*_\w+)\((?P<arguments>[^()\n]{0,2000})\)")
_PLURAL = frozenset({"s", "es", "n", "ies"})
_WORDS = regex.compile(r"[\W_]+")


def find_hallucinated(unparsed: Iterable[str], registry: CommandRegistry) -> tuple[str, ...]:
    """Return the calls of commands that a vocabulary does not have; a known name in a wrong form is none."""
    known = {is_same_name(name) for command in registry for name in (command.__name__, command.name)}
    return tuple(call for text in unparsed for name, call in _calls(text) if is_same_name(name) not in known)


def is_same_name(name: str) -> str:
    """Return a name without what people and models change in it: case, blanks, underscores."""
    return str(_WORDS.sub("", name)).casefold()


def _calls(text: str) -> Iterator[tuple[str, str]]:
    data = _data(text)
    if data:
        yield data, text
        return
    for match in _CALL.finditer(text):
        is_prose = match["arguments"] in _PLURAL or not any(map(str.islower, match["name"]))
        if not is_prose:
            yield match["name"], match[0]


def _data(text: str) -> str:
    """Return the name that a command in the form of data has."""
    if not text.startswith("{"):
        return ""
    try:
        return read_name(json.loads(text))
    except (ValueError, RecursionError):
        return ""


_LINE_ENDS = regex.compile(r"\r\n|\n|\r")
_FENCE = regex.compile(r"\s*(?:```+|~~~+)\s*\w*\s*")
_NUMBERING = regex.compile(r"^\s*(?:[-*+•–—>]\s+)*\(?\d{1,3}[.):]\s+")
_NOISE = regex.compile(r"(?:[\W_]|(?<![\w-])(?:and|then)(?![\w-]))*+")


class ParsedCommands(Struct, frozen=True):
    """Commands in the order of the text, and the text that is none."""

    commands: tuple[Command, ...] = ()
    unparsed: tuple[str, ...] = ()
    hallucinated: tuple[str, ...] = ()
    """What of the unparsed text has the form of a command that does not exist."""


class _Claim(Struct, frozen=True):
    """A place in a line that a command says is its own."""

    start: int
    end: int
    order: int
    match: regex.Match[str]
    command: type[Command]


class CommandParser(Struct, frozen=True, dict=True):
    """Finds the commands of a vocabulary in text."""

    registry: CommandRegistry
    syntax: Syntax = Syntax.CALLS

    @classmethod
    def default(cls) -> CommandParser:
        """Return the parser of the default commands, written as calls."""
        return cls(default_commands(), Syntax.CALLS)

    @cached_property
    def patterns(self) -> tuple[CommandPattern, ...]:
        """The compiled patterns, in the order of the vocabulary."""
        return compile_patterns(self.registry.commands, self.syntax)

    @cached_property
    def _parse_cached(self) -> Callable[[str], ParsedCommands]:
        return lru_cache(maxsize=20_000)(self._parse)

    def parse(self, text: str | None) -> ParsedCommands:
        """Return all commands in a text."""
        return self._parse_cached(text) if text else ParsedCommands()

    def _parse(self, text: str) -> ParsedCommands:
        structured = find_commands_in_json(text, self.registry, self._parse_lines)
        commands, unparsed = structured or self._parse_lines(text)
        return ParsedCommands(commands, unparsed, find_hallucinated(unparsed, self.registry))

    def _parse_lines(self, text: str) -> tuple[tuple[Command, ...], tuple[str, ...]]:
        parts = [self._parse_line(line) for line in _LINE_ENDS.split(text)]
        return tuple(c for found, _ in parts for c in found), tuple(t for _, rest in parts for t in rest)

    def _parse_line(self, line: str) -> tuple[list[Command], list[str]]:
        if not line.strip():
            return [], []
        read = list(_without_overlaps(self._claims(line)))
        return [command for _, command in read], list(_leftovers(line, [claim for claim, _ in read]))

    def _claims(self, line: str) -> Iterator[_Claim]:
        for order, pattern in enumerate(self.patterns):
            for match in pattern.find_all(line):
                if match.end() > match.start():
                    yield _Claim(match.start(), match.end(), order, match, pattern.command)


def _without_overlaps(claims: Iterable[_Claim]) -> Iterator[tuple[_Claim, Command]]:
    """Yield claims from left to right, read; where two overlap, the earlier, then the longer one holds."""
    position = 0
    for claim in sorted(claims, key=lambda claim: (claim.start, -claim.end, claim.order)):
        if claim.start >= position:
            command = read_match(claim.command, MatchedText.of(claim.match))
            if command is not None:
                position = claim.end
                yield claim, command


def _leftovers(line: str, taken: list[_Claim]) -> Iterator[str]:
    """Yield what stands between the commands of a line, without bullets, numbers, fences and quotes."""
    if not taken and _FENCE.fullmatch(line):
        return
    position = 0
    for start, end in [*((claim.start, claim.end) for claim in taken), (len(line), len(line))]:
        gap = line[position:start]
        if position == 0:
            gap = _NUMBERING.sub("", gap)
        if not _NOISE.fullmatch(gap) and not (taken and gap.strip().isdigit()):
            yield gap.strip()
        position = end
