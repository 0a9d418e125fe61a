"""Pieces that the default commands share: reading groups, and commands without arguments."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from du_eval.commands.base import Command, MatchLike

IDENTIFIER = r"[\w-]+"
SLOT_NAME = r"[^\W\d][\w-]*"


def match_of(command: type[Command], dsl: Any) -> MatchLike:
    """Return the match behind a text: given by the parser, or found with the class's own pattern."""
    if hasattr(dsl, "groups"):
        return dsl  # type: ignore[no-any-return]
    found = command.first_match(str(dsl))
    if found is None:
        raise ValueError(f"{dsl!r} is not a {command.__name__} command")
    return found


def argument(match: MatchLike, name: str, position: int) -> str:
    """Return an argument by its group's name, or by position where the pattern has no such name."""
    named = match.groupdict()
    if name in named:
        return named[name] or ""
    groups = match.groups()
    return (groups[position - 1] or "") if len(groups) >= position else ""


def require_text(value: object) -> str:
    """Return a text as it is; raise TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"must be a text, not {value!r}")
    return value


class BareCommand(Command):
    """A command without arguments, written as a call."""

    __slots__ = ()
    call: ClassVar[str]

    def to_dsl(self) -> str:
        """Return the call."""
        return f"{self.call}()"

    @classmethod
    def from_dsl(cls, dsl: Any) -> Self:  # noqa: ARG003 - nothing to read
        """Return the command."""
        return cls()

    @classmethod
    def regex_pattern(cls) -> str:
        """Match the call."""
        return rf"(?<!\w){cls.call}\(\s*\)"

    def arguments(self) -> dict[str, object]:
        """Return nothing: there are no arguments."""
        return {}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
