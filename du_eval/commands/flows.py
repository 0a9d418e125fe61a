"""The default commands about flows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import regex

from du_eval.commands.arguments import IDENTIFIER, BareCommand, argument, match_of, require_text
from du_eval.commands.base import Command
from du_eval.commands.values import stripped_of_quotes

_OPTION = regex.compile(r"(?<![\w-])(?!(?:and|or)(?![\w-]))-*\w[\w-]*")


@dataclass(frozen=True, slots=True)
class StartFlow(Command):
    """Start a flow."""

    name: ClassVar[str] = "start flow"
    flow: str

    def __post_init__(self) -> None:
        require_text(self.flow)

    def to_dsl(self) -> str:
        """Return the call."""
        return f"StartFlow({self.flow})"

    @classmethod
    def from_dsl(cls, dsl: Any) -> StartFlow:
        """Read the flow's id."""
        return cls(stripped_of_quotes(argument(match_of(cls, dsl), "flow", 1)))

    @staticmethod
    def regex_pattern() -> str:
        """Match the call, with or without quotes and blanks around the id."""
        return rf"""(?<!\w)StartFlow\(\s*['"]?(?P<flow>{IDENTIFIER})['"]?\s*\)"""


class CancelFlow(BareCommand):
    """Cancel the current flow."""

    __slots__ = ()
    name = "cancel flow"
    call = "CancelFlow"


def options_of(text: str) -> tuple[str, ...]:
    """Return the ids in a list; whatever stands between them, and the words 'and' and 'or', separate them."""
    return tuple(_OPTION.findall(text))


@dataclass(frozen=True, slots=True)
class Clarify(Command):
    """Ask the user which flow is meant; an expectation without options accepts any options."""

    name: ClassVar[str] = "clarify"
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given: object = self.options
        if isinstance(given, str):
            raise TypeError(f"options must be a list, not the text {given!r}")
        object.__setattr__(self, "options", tuple(sorted(map(require_text, self.options))))

    def to_dsl(self) -> str:
        """Return the call."""
        return f"Clarify({', '.join(self.options)})"

    @classmethod
    def from_dsl(cls, dsl: Any) -> Clarify:
        """Read the options."""
        return cls(options_of(argument(match_of(cls, dsl), "options", 1)))

    @staticmethod
    def regex_pattern() -> str:
        """Match the call with any list of ids."""
        return r"""(?<!\w)Clarify\((?P<options>[\w\s,;'"`\[\]-]*)\)"""

    def matches(self, predicted: Command) -> bool:
        """Compare options as sets; without expected options, any will do."""
        if not isinstance(predicted, type(self)):
            return False
        return not self.options or set(self.options) == set(predicted.options)

    def arguments(self) -> dict[str, object]:
        """Return the options as a list."""
        return {"options": list(self.options)}

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, object]) -> Clarify:
        """Return the command; the options may come as one text, too."""
        options = arguments.get("options") or ()
        if isinstance(options, str):
            return cls(options_of(options))
        if not isinstance(options, Iterable):
            raise TypeError(f"options must be a list, not {options!r}")
        return cls(tuple(options))


class ContinueAgent(BareCommand):
    """Go on talking to the active sub-agent."""

    __slots__ = ()
    name = "continue agent"
    call = "ContinueAgent"


@dataclass(frozen=True, slots=True)
class RestartAgent(Command):
    """Start a sub-agent again."""

    name: ClassVar[str] = "restart agent"
    agent_id: str

    def __post_init__(self) -> None:
        require_text(self.agent_id)

    def to_dsl(self) -> str:
        """Return the call."""
        return f"RestartAgent({self.agent_id})"

    @classmethod
    def from_dsl(cls, dsl: Any) -> RestartAgent:
        """Read the agent's id."""
        return cls(stripped_of_quotes(argument(match_of(cls, dsl), "agent_id", 1)))

    @staticmethod
    def regex_pattern() -> str:
        """Match the call, with or without quotes and blanks around the id."""
        return rf"""(?<!\w)RestartAgent\(\s*['"]?(?P<agent_id>{IDENTIFIER})['"]?\s*\)"""
