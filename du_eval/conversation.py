"""Who said what: the shared form of a dialogue."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct


class Speaker(StrEnum):
    """The two sides of a dialogue."""

    USER = "user"
    BOT = "bot"


class Turn(Struct, frozen=True, omit_defaults=True):
    """One message; a bot's message may carry the name of the response it came from."""

    speaker: Speaker
    text: str
    response: str | None = None


class Conversation(Struct, frozen=True):
    """A dialogue so far."""

    turns: tuple[Turn, ...] = ()

    def __iter__(self) -> Iterator[Turn]:
        return iter(self.turns)

    def __len__(self) -> int:
        return len(self.turns)

    def adding(self, *turns: Turn) -> Conversation:
        """Return the dialogue with more turns at its end."""
        return Conversation(self.turns + turns)

    @property
    def last_bot_turns(self) -> tuple[Turn, ...]:
        """The bot's messages since the user spoke last."""
        count = len(self.turns)
        while count and self.turns[count - 1].speaker is Speaker.BOT:
            count -= 1
        return self.turns[count:]
