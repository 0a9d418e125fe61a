"""The default command about slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import regex

from du_eval.commands.arguments import SLOT_NAME, argument, match_of, require_text
from du_eval.commands.base import Command
from du_eval.commands.values import is_plain, is_single_line, null_or_text, quoted, slot_text, unquoted

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
            if match and match.end() == len(bare) and unquoted(match["value"]) == self.value:
                return self.value
        return quoted(self.value)

    @classmethod
    def from_dsl(cls, dsl: Any) -> SetSlot:
        """Read slot and value."""
        match = match_of(cls, dsl)
        return cls(argument(match, "name", 1), null_or_text(unquoted(argument(match, "value", 2))))

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
