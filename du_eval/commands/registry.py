"""The vocabulary of a run: which command classes are known, as an immutable value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from inspect import isabstract
from typing import Any

import regex
from msgspec import Struct

from du_eval.commands import flows
from du_eval.commands.base import Command
from du_eval.commands.foreign import METHODS, RequestSlot, adopt, is_foreign
from du_eval.commands.function_calls import CallFunction
from du_eval.errors import CommandDefinitionError, did_you_mean

DEFAULT_COMMANDS: tuple[type[Command], ...] = (
    flows.StartFlow,
    flows.CancelFlow,
    flows.SetSlot,
    flows.Clarify,
    flows.ChitChat,
    flows.SearchAndReply,
    flows.HumanHandoff,
    flows.SkipQuestion,
    flows.RepeatLastBotMessages,
)
FURTHER_COMMANDS: tuple[type[Command], ...] = (
    flows.CannotHandle,
    flows.ContinueAgent,
    flows.RestartAgent,
    RequestSlot,
    CallFunction,
)
"""Known, but only understood when added."""

_OTHER_NAMES: dict[str, type[Command]] = {
    "knowledgeanswer": flows.SearchAndReply,
    "chitchatanswer": flows.ChitChat,
    "repeatbotmessages": flows.RepeatLastBotMessages,
}


def _key(name: str) -> str:
    key = re.sub(r"[\W_]+", "", name).lower()
    return key.removesuffix("command") or key


def _keys(command: type[Command]) -> set[str]:
    others = {key for key, known in _OTHER_NAMES.items() if known is command}
    return {_key(command.__name__), _key(command.name), *others}


def find_known_command(name: str) -> type[Command] | None:
    """Return the default or further command of a name: class name, official class name or metric name."""
    for command in (*DEFAULT_COMMANDS, *FURTHER_COMMANDS):
        if _key(name) in _keys(command):
            return command
    return None


class CommandRegistry(Struct, frozen=True):
    """Command classes in the order in which they are tried."""

    commands: tuple[type[Command], ...] = ()

    def __post_init__(self) -> None:
        by_name: dict[str, type[Command]] = {}
        for command in self.commands:
            _check_class(command)
            other = by_name.setdefault(command.name, command)
            if other is not command:
                raise CommandDefinitionError(
                    f"two commands are named '{command.name}': {other.__name__} and {command.__name__}; "
                    f"give one of them another `name`, or remove one "
                    f"(--remove-default-commands {other.__name__}); choose from: {self.table()}"
                )

    def __iter__(self) -> Iterator[type[Command]]:
        return iter(self.commands)

    def __len__(self) -> int:
        return len(self.commands)

    def adding(self, *commands: Any) -> CommandRegistry:
        """Return the vocabulary with more command classes."""
        ours = (adopt(command) if is_foreign(command) else command for command in commands)
        new = tuple(command for command in ours if command not in self.commands)
        return CommandRegistry(self.commands + new)

    def removing(self, *commands: type[Command] | str) -> CommandRegistry:
        """Return the vocabulary without some commands, given as classes or by name."""
        gone = {self._found(command) for command in commands}
        return CommandRegistry(tuple(command for command in self.commands if command not in gone))

    def find(self, name: str) -> type[Command] | None:
        """Return the class of a name: class name, official class name, metric name, any spelling of words."""
        key = _key(name)
        return next((command for command in self.commands if key in _keys(command)), None)

    def table(self) -> str:
        """Return the names of all classes for a message."""
        return ", ".join(command.__name__ for command in self.commands)

    def _found(self, command: type[Command] | str) -> type[Command]:
        if not isinstance(command, str):
            command = adopt(command) if is_foreign(command) else command
            if command in self.commands:
                return command
            command = getattr(command, "__name__", str(command))
        found = self.find(command)
        if found is None:
            hint = did_you_mean(command, [known.__name__ for known in self.commands])
            raise CommandDefinitionError(
                f"unknown command '{command}', cannot be removed; {hint or f'choose from: {self.table()}'}"
            )
        return found


@cache
def default_commands() -> CommandRegistry:
    """Return the default vocabulary."""
    return CommandRegistry(DEFAULT_COMMANDS)


def build_registry(
    additional: Iterable[object] = (),
    removed: Iterable[type[Command] | str] = (),
    base: CommandRegistry | None = None,
) -> CommandRegistry:
    """Return the default vocabulary after removing and then adding commands."""
    known = default_commands() if base is None else base
    return known.removing(*removed).adding(*additional)


def _check_class(command: object) -> None:
    """Raise where something cannot serve as a command."""
    if not isinstance(command, type):
        raise CommandDefinitionError(
            f"{command!r} is not a class; a command is a subclass of du_eval.Command"
        )
    _check_definition(command)


@cache
def _check_definition(command: type) -> None:
    if not issubclass(command, Command):
        has = [method for method in METHODS if callable(getattr(command, method, None))]
        missing = ", ".join(method for method in METHODS if method not in has)
        raise CommandDefinitionError(
            f"{command.__module__}.{command.__name__} does not derive from du_eval.Command"
            + (f", and lacks {missing}" if has else "")
        )
    if isabstract(command):
        missing = ", ".join(sorted(command.__abstractmethods__))
        raise CommandDefinitionError(f"{command.__name__} does not define: {missing}")
    _check_pattern(command)


def _check_pattern(command: type[Command]) -> None:
    pattern = _pattern_of(command)
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise CommandDefinitionError(
            f"the pattern of {command.__name__} is not valid: {error}; it is {pattern!r}"
        ) from error
    if compiled.match(""):
        raise CommandDefinitionError(
            f"the pattern of {command.__name__} matches an empty string, so it would match everywhere: "
            f"{pattern!r}"
        )


def _pattern_of(command: type[Command]) -> str:
    try:
        pattern: object = command.regex_pattern()
    except Exception as error:
        raise CommandDefinitionError(
            f"{command.__name__}.regex_pattern cannot be called on the class: {type(error).__name__}: "
            f"{error}; write it as a @staticmethod without parameters"
        ) from error
    if not isinstance(pattern, str):
        raise CommandDefinitionError(
            f"{command.__name__}.regex_pattern must return a string, not {pattern!r}"
        )
    return pattern
