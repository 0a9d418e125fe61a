"""A message and what is known when it arrives."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from du_eval.generators.baseline.slots import SlotProfile, ValueRole
from du_eval.generators.baseline.spans import Span
from du_eval.generators.baseline.text import content_words
from du_eval.text.words import words


class Situation(Struct, frozen=True):
    """What the rules decide on."""

    message: str
    pieces: tuple[Span, ...]
    flow: str | None
    asked: SlotProfile | None
    profiles: tuple[SlotProfile, ...]
    """The slots of the active flow, and the one that was asked for."""
    slots: Mapping[str, object]
    bot: str = ""
    """What the bot said last."""

    @property
    def length(self) -> int:
        """The number of words."""
        return len(words(self.message))

    @property
    def content(self) -> int:
        """The number of words that carry content."""
        return len(content_words(self.message))

    @property
    def asks_yes_or_no(self) -> bool:
        """Tell whether the bot waits for a yes or a no."""
        return self.asked is not None and self.asked.role is ValueRole.YES_NO
