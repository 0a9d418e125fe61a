"""A message and what is known when it arrives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from du_eval.generators.baseline import cues, phrases
from du_eval.generators.baseline.answers import Answer
from du_eval.generators.baseline.profiles import Role, SlotProfile
from du_eval.generators.baseline.spans import Span
from du_eval.generators.baseline.text import words


@dataclass(frozen=True, slots=True)
class Situation:
    """What the rules decide on."""

    message: str
    pieces: tuple[Span, ...]
    active_flow: str | None
    asked: SlotProfile | None
    profiles: tuple[SlotProfile, ...]
    """The slots of the active flow."""
    slots: Mapping[str, object]
    answer: Answer | None = None
    offered: tuple[str, ...] = ()
    """The flows of which the user was asked to choose one."""

    @property
    def length(self) -> int:
        """The number of words."""
        return len(words(self.message))

    @property
    def is_answered(self) -> bool:
        """Tell whether the message has the form of an answer to what was asked."""
        return self.answer is not None and self.answer.is_sure and not cues.asks_for_facts(self.message)

    @property
    def asks_yes_or_no(self) -> bool:
        """Tell whether the bot waits for a yes or a no."""
        return self.asked is not None and self.asked.role is Role.YES_NO

    @property
    def is_wish(self) -> bool:
        """Tell whether the message asks for something."""
        return phrases.REQUEST.search(self.message) is not None or cues.is_question(self.message)

    @property
    def others(self) -> tuple[SlotProfile, ...]:
        """The slots of the active flow apart from the one that was asked for."""
        return tuple(item for item in self.profiles if self.asked is None or item.name != self.asked.name)
