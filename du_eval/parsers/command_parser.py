"""Text into commands, losing nothing: what no command claims is kept as unparsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import regex

from du_eval.commands.base import Command, MatchedText
from du_eval.commands.registry import CommandRegistry, default_commands
from du_eval.commands.syntax import Syntax
from du_eval.errors import CommandReadError
from du_eval.parsers.patterns import CommandPattern, compile_patterns
from du_eval.parsers.tool_calls import commands_in_json

_LINE_ENDS = regex.compile(r"\r\n|\n|\r")
_FENCE = regex.compile(r"\s*(?:```+|~~~+)\s*\w*\s*")
_NUMBERING = regex.compile(r"^\s*(?:[-*+•–—>]\s+)*\(?\d{1,3}[.):]\s+")
_NOISE = regex.compile(r"(?:[\W_]|(?<![\w-])(?:and|then)(?![\w-]))*+")


@dataclass(frozen=True, slots=True)
class ParsedCommands:
    """Commands in the order of the text, and the text that is none."""

    commands: tuple[Command, ...] = ()
    unparsed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Claim:
    """A place in a line that a command says is its own."""

    start: int
    end: int
    order: int
    match: regex.Match[str]
    command: type[Command]


@dataclass(frozen=True)
class CommandParser:
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
    def _parse_cached(self) -> lru_cache:  # type: ignore[type-arg]
        return lru_cache(maxsize=20_000)(self._parse)

    def parse(self, text: str | None) -> ParsedCommands:
        """Return all commands in a text."""
        return self._parse_cached(text) if text else ParsedCommands()  # type: ignore[no-any-return]

    def _parse(self, text: str) -> ParsedCommands:
        structured = commands_in_json(text, self.registry, self._one_text)
        if structured is not None:
            return ParsedCommands(*structured)
        commands: list[Command] = []
        unparsed: list[str] = []
        for line in _LINE_ENDS.split(text):
            found, rest = self._parse_line(line)
            commands.extend(found)
            unparsed.extend(rest)
        return ParsedCommands(tuple(commands), tuple(unparsed))

    def _one_text(self, text: str) -> tuple[tuple[Command, ...], tuple[str, ...]]:
        parts = [self._parse_line(line) for line in _LINE_ENDS.split(text)]
        return tuple(c for found, _ in parts for c in found), tuple(t for _, rest in parts for t in rest)

    def _parse_line(self, line: str) -> tuple[list[Command], list[str]]:
        if not line.strip():
            return [], []
        commands, taken = [], []
        for claim in _without_overlaps(self._claims(line)):
            command = _read(claim)
            if command is not None:
                commands.append(command)
                taken.append(claim)
        return commands, list(_leftovers(line, taken))

    def _claims(self, line: str) -> Iterator[_Claim]:
        for order, pattern in enumerate(self.patterns):
            for match in pattern.find_all(line):
                if match.end() > match.start():
                    yield _Claim(match.start(), match.end(), order, match, pattern.command)


def _without_overlaps(claims: Iterable[_Claim]) -> Iterator[_Claim]:
    """Yield the claims from left to right; where two overlap, the earlier, then the longer one holds."""
    position = 0
    for claim in sorted(claims, key=lambda claim: (claim.start, -claim.end, claim.order)):
        if claim.start >= position:
            position = claim.end
            yield claim


def _read(claim: _Claim) -> Command | None:
    try:
        return claim.command.from_dsl(MatchedText.of(claim.match))
    except Exception as error:
        raise CommandReadError(
            f"{claim.command.__name__}.from_dsl failed on {claim.match.group(0)!r}: {type(error).__name__}: {error}"
        ) from error


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
