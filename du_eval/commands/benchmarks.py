"""Commands that public benchmarks need and that are only understood when added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from du_eval.commands.base import SLOT_NAME, argument, match_of, require_text
from du_eval.commands.flows import SearchAndReply


@dataclass(frozen=True, slots=True, repr=False)
class RequestSlot(SearchAndReply):
    """Tell the user the value of a slot that the user asks about."""

    name: ClassVar[str] = "request slot"
    call: ClassVar[str] = "RequestSlot"
    slot: str

    def __post_init__(self) -> None:
        require_text(self.slot)

    def to_dsl(self) -> str:
        """Return the call."""
        return f"RequestSlot({self.slot})"

    @classmethod
    def from_dsl(cls, dsl: Any) -> RequestSlot:
        """Read the slot's name."""
        return cls(argument(match_of(cls, dsl), "name", 1))

    @classmethod
    def regex_pattern(cls) -> str:
        """Match the call, with or without quotes and spaces around the name."""
        return rf"""(?<!\w)RequestSlot\(\s*['"]?(?P<name>{SLOT_NAME})['"]?\s*\)"""

    def arguments(self) -> dict[str, object]:
        """Return the slot's name."""
        return {"slot": self.slot}

    def __repr__(self) -> str:
        return f"RequestSlot(slot={self.slot!r})"
