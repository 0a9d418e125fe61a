"""Search with a time limit, so that a careless pattern ends in a message and not in a hang."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import regex
from msgspec import Struct

from du_eval.commands.base import Command, MatchedText
from du_eval.commands.syntax import Syntax
from du_eval.errors import CommandDefinitionError, CommandReadError, PatternTimeoutError

TIME_LIMIT_SECONDS = 1.0
_LONG_LINE = 2_000
_PATIENCE_WITH_OUR_OWN = 10


class CommandPattern(Struct, frozen=True):
    """The compiled pattern of one command class."""

    command: type[Command]
    compiled: regex.Pattern[str]
    is_trusted: bool
    """Our own patterns need no clock on lines of usual length."""

    def find_all(self, line: str) -> Iterator[regex.Match[str]]:
        """Yield all matches in a line; raise PatternTimeoutError where they take too long."""
        if self.is_trusted and len(line) <= _LONG_LINE:
            yield from self.compiled.finditer(line)
            return
        limit = TIME_LIMIT_SECONDS * (_PATIENCE_WITH_OUR_OWN if self.is_trusted else 1)
        try:
            yield from self.compiled.finditer(line, timeout=limit)
        except TimeoutError as error:
            raise PatternTimeoutError(
                f"the pattern of {self.command.__name__} took longer than {limit:g} s on "
                f"{_shortened(line)!r}; simplify it: {self.compiled.pattern!r}"
            ) from error

    def find_first(self, line: str) -> regex.Match[str] | None:
        """Return the first match in a line."""
        return next(self.find_all(line), None)


@lru_cache(maxsize=32)
def compile_patterns(commands: tuple[type[Command], ...], syntax: Syntax) -> tuple[CommandPattern, ...]:
    """Return the patterns of command classes in a syntax."""
    return tuple(_compile(command, syntax) for command in commands)


def _compile(command: type[Command], syntax: Syntax) -> CommandPattern:
    pattern = syntax.find_pattern(command)
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise CommandDefinitionError(
            f"the pattern of {command.__name__} in the syntax '{syntax.name}' is not valid: {error}; "
            f"it is {pattern!r}"
        ) from error
    ours = syntax.is_built_in and command.__module__.startswith("du_eval.commands.")
    return CommandPattern(command, compiled, is_trusted=ours)


def read_match(command: type[Command], text: MatchedText) -> Command | None:
    """Return what a class makes of a match; whatever goes wrong in it becomes a CommandReadError."""
    try:
        found: object = command.from_dsl(text)
    except Exception as error:
        raise CommandReadError(
            f"{command.__name__}.from_dsl failed on {str(text)!r}: {type(error).__name__}: {error}"
        ) from error
    if found is None or isinstance(found, Command):
        return found
    raise CommandReadError(
        f"{command.__name__}.from_dsl returned {type(found).__name__} for {str(text)!r}, not a command"
    )


def _shortened(line: str) -> str:
    return line if len(line) <= 80 else line[:77] + "..."
