"""The default commands: about flows, about slots, and answers outside of flows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import regex

from du_eval.commands.base import (
    IDENTIFIER,
    SLOT_NAME,
    BareCommand,
    Command,
    argument,
    find_match,
    is_plain,
    is_single_line,
    null_or_text,
    quote_value,
    require_text,
    slot_text,
    strip_quotes,
    unquote_value,
)

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
    def from_dsl(cls, dsl: object) -> StartFlow:
        """Read the flow's id."""
        return cls(strip_quotes(argument(find_match(cls, dsl), "flow", 1)))

    @staticmethod
    def regex_pattern() -> str:
        """Match the call, with or without quotes and blanks around the id."""
        return rf"""(?<!\w)StartFlow\(\s*['"]?(?P<flow>{IDENTIFIER})['"]?\s*\)"""


class CancelFlow(BareCommand):
    """Cancel the current flow."""

    __slots__ = ()
    name = "cancel flow"
    call = "CancelFlow"


def read_options(text: str) -> tuple[str, ...]:
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
            raise TypeError(f"options must be a list, not the string {given!r}")
        object.__setattr__(self, "options", tuple(sorted(map(require_text, self.options))))

    def to_dsl(self) -> str:
        """Return the call."""
        return f"Clarify({', '.join(self.options)})"

    @classmethod
    def from_dsl(cls, dsl: object) -> Clarify:
        """Read the options."""
        return cls(read_options(argument(find_match(cls, dsl), "options", 1)))

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
            return cls(read_options(options))
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
    def from_dsl(cls, dsl: object) -> RestartAgent:
        """Read the agent's id."""
        return cls(strip_quotes(argument(find_match(cls, dsl), "agent_id", 1)))

    @staticmethod
    def regex_pattern() -> str:
        """Match the call, with or without quotes and blanks around the id."""
        return rf"""(?<!\w)RestartAgent\(\s*['"]?(?P<agent_id>{IDENTIFIER})['"]?\s*\)"""


_DOUBLE = r'\s*"(?:[^"\\]|\\.)*+"\s*(?=\))'
_SINGLE = r"\s*'(?:[^'\\]|\\.)*+'\s*(?=\))"
_TEXT = r"(?:[^()S]++|S(?!etSlot\())"
_BALANCED = rf"(?:{_TEXT}|(?P<nested>\((?:{_TEXT}|(?&nested))*+\)))*+(?=\))"
_UP_TO_A_BRACKET = r"[^)\n]*+(?:(?=\))|(*SKIP)(*FAIL))"
_PATTERN = (
    rf"""(?<!\w)SetSlot\(\s*['"]?(?P<name>{SLOT_NAME})['"]?\s*,"""
    rf"""(?P<value>{_DOUBLE}|{_SINGLE}|{_BALANCED}|{_UP_TO_A_BRACKET})\)"""
)
"""A bare value does not reach over the next SetSlot: no part of a line is searched again and again."""
_COMPILED = regex.compile(_PATTERN)


@dataclass(frozen=True, slots=True)
class SetSlot(Command):
    """Give a slot a value."""

    name: ClassVar[str] = "set slot"
    slot: str
    value: str | None = None

    def __post_init__(self) -> None:
        require_text(self.slot)
        object.__setattr__(self, "value", slot_text(self.value))

    def to_dsl(self) -> str:
        """Return the call; a value that would not survive as it is comes in quotes."""
        return f"SetSlot({self.slot}, {self._value_text()})"

    def _value_text(self) -> str:
        if self.value is None:
            return "None"
        if is_plain(self.value):
            return self.value
        if is_single_line(self.value):
            bare = f"SetSlot({self.slot}, {self.value})"
            match = _COMPILED.match(bare)
            if match and match.end() == len(bare) and unquote_value(match["value"]) == self.value:
                return self.value
        return quote_value(self.value)

    @classmethod
    def from_dsl(cls, dsl: object) -> SetSlot:
        """Read slot and value."""
        match = find_match(cls, dsl)
        return cls(argument(match, "name", 1), null_or_text(unquote_value(argument(match, "value", 2))))

    @staticmethod
    def regex_pattern() -> str:
        """Match the call; the value ends at the bracket that closes the call."""
        return _PATTERN

    def arguments(self) -> dict[str, object]:
        """Return the slot's name and value."""
        return {"name": self.slot, "value": self.value}

    @classmethod
    def from_arguments(cls, arguments: Any) -> SetSlot:
        """Return the command; knows `name` as well as `slot`, and the key of who extracted the value."""
        given = {
            "slot" if key == "name" else key: value for key, value in arguments.items() if key != "extractor"
        }
        return cls(**given)


class ChitChat(BareCommand):
    """Reply to small talk."""

    __slots__ = ()
    name = "chitchat"
    call = "ChitChat"


class SearchAndReply(BareCommand):
    """Search for knowledge and reply with it."""

    __slots__ = ()
    name = "knowledge"
    call = "SearchAndReply"


class HumanHandoff(BareCommand):
    """Hand the conversation over to a human."""

    __slots__ = ()
    name = "human handoff"
    call = "HumanHandoff"


class SkipQuestion(BareCommand):
    """Skip the question that was asked."""

    __slots__ = ()
    name = "skip question"
    call = "SkipQuestion"


class RepeatLastBotMessages(BareCommand):
    """Say the last messages of the bot again."""

    __slots__ = ()
    name = "repeat"
    call = "RepeatLastBotMessages"


@dataclass(frozen=True, slots=True)
class CannotHandle(Command):
    """Say that the message cannot be handled."""

    name: ClassVar[str] = "cannot handle"
    reason: str = ""

    def __post_init__(self) -> None:
        require_text(self.reason)

    def to_dsl(self) -> str:
        """Return the call."""
        return f"CannotHandle({self.reason})"

    @classmethod
    def from_dsl(cls, dsl: object) -> CannotHandle:
        """Read the reason, if there is one."""
        return cls(strip_quotes(argument(find_match(cls, dsl), "reason", 1)))

    @staticmethod
    def regex_pattern() -> str:
        """Match the call, with or without a reason."""
        return r"""(?<!\w)CannotHandle\(\s*(?P<reason>[\w\s'"-]*)\)"""
