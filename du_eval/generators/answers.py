"""The commands in an answer: of each component, from text, data or objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from du_eval.commands.base import Command
from du_eval.commands.registry import CommandRegistry
from du_eval.generators.base import CommandLike, Prediction
from du_eval.parsers.command_parser import ParsedCommands
from du_eval.parsers.tool_calls import command_from_data

Component = tuple[str, tuple[Command, ...]]


class Reader(Protocol):
    """Reads predicted text."""

    def parse(self, text: str) -> ParsedCommands:
        """Return the commands in a text."""
        ...


@dataclass(frozen=True)
class AnswerReader:
    """Reads answers of any form."""

    reader: Reader
    registry: CommandRegistry

    def components(self, answer: Prediction) -> tuple[list[Component], tuple[str, ...]]:
        """Return the commands by component, and the text that is none."""
        parts: Mapping[str, str | tuple[CommandLike, ...]] = answer.components
        if not parts:
            parts = {"": answer.commands if answer.commands is not None else answer.text or ""}
        found, unparsed = [], []
        for name, part in parts.items():
            commands, rest = self._read(part)
            found.append((name, commands))
            unparsed.extend(rest)
        return found, tuple(unparsed)

    def commands(self, answer: Prediction) -> tuple[Command, ...]:
        """Return the commands of all components, each once."""
        found, _ = self.components(answer)
        return tuple(dict.fromkeys(command for _, commands in found for command in commands))

    def _read(self, part: str | tuple[CommandLike, ...]) -> tuple[tuple[Command, ...], list[str]]:
        if isinstance(part, str):
            parsed = self.reader.parse(part)
            return parsed.commands, list(parsed.unparsed)
        commands: list[Command] = []
        unparsed: list[str] = []
        for item in part:
            if isinstance(item, str):
                parsed = self.reader.parse(item)
                commands.extend(parsed.commands)
                unparsed.extend(parsed.unparsed)
            elif isinstance(item, Command):
                commands.append(item)
            else:
                command = command_from_data(item, self.registry)
                commands.extend([command] if command else [])
                unparsed.extend([] if command else [str(dict(item))])
        return tuple(commands), unparsed
