"""The default commands that answer outside of flows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from du_eval.commands.arguments import BareCommand, argument, match_of, require_text
from du_eval.commands.base import Command
from du_eval.commands.values import stripped_of_quotes


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
    def from_dsl(cls, dsl: Any) -> CannotHandle:
        """Read the reason, if there is one."""
        return cls(stripped_of_quotes(argument(match_of(cls, dsl), "reason", 1)))

    @staticmethod
    def regex_pattern() -> str:
        """Match the call, with or without a reason."""
        return r"""(?<!\w)CannotHandle\(\s*(?P<reason>[\w\s'"-]*)\)"""
