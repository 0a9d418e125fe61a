"""Who talks: the one method of a chatter."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.errors import ChatterError, tell_count


class TalkOverError(ChatterError):
    """A chatter that has nothing left to say: the dialogue ends, and nobody failed."""


class Chatter(Protocol):
    """Says something in a conversation; its own turns are those of the bot, whoever it plays."""

    async def reply(self, conversation: Conversation) -> str:
        """Return what it says next; raise ChatterError where it cannot."""
        ...


class Silent:
    """A chatter that has nothing to say: only what is known already is said."""

    async def reply(self, conversation: Conversation) -> str:
        """Refuse."""
        raise TalkOverError(f"there is no line after {tell_count(len(conversation), 'utterance')}")


@asynccontextmanager
async def running(bot: Chatter) -> AsyncIterator[Chatter]:
    """Let a bot begin before anybody waits for it, and end afterwards; most have neither to do."""
    try:
        await if_there(bot, "start")
        yield bot
    finally:
        await if_there(bot, "close")


async def if_there(bot: object, method: str) -> None:
    """Call what only some chatters have."""
    found = getattr(bot, method, None)
    if found is not None:
        await found()


def open_conversation(bot: Chatter) -> Chatter:
    """Return the bot for one conversation: an object of its own, where it keeps what was said in itself."""
    make = getattr(bot, "open_conversation", None)
    return bot if make is None else make()


def most_at_once(bot: Chatter, wanted: int) -> int:
    """Return how many conversations a bot holds side by side: at most what it says itself."""
    return min(wanted, int(getattr(bot, "at_once", None) or wanted))


def make_conversation(utterances: Sequence[str], *, as_tester: bool = False) -> Conversation:
    """Return utterances, the tester's first, as a conversation seen by the bot, or by the tester."""
    first, second = (Speaker.BOT, Speaker.USER) if as_tester else (Speaker.USER, Speaker.BOT)
    return Conversation(tuple(Turn(second if n % 2 else first, text) for n, text in enumerate(utterances)))


def list_texts(conversation: Conversation, memory: int = 0) -> list[str]:
    """Return what was said; with a memory, only the last utterances."""
    texts = [turn.text for turn in conversation]
    return texts[-memory:] if memory else texts


def list_prompts(conversation: Conversation) -> list[str]:
    """Return what the other side said."""
    return [turn.text for turn in conversation if turn.speaker is Speaker.USER]


def find_last_prompt(conversation: Conversation) -> str:
    """Return what the other side said last."""
    prompts = list_prompts(conversation)
    return prompts[-1] if prompts else ""
