"""Chatters from a user's own code: our protocol, a class with get_response, or a plain function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct, field

from du_eval.chatters.base import Chatter, if_there, list_texts
from du_eval.conversation import Conversation, Speaker
from du_eval.errors import ChatterError, PluginError
from du_eval.generators.patience import Threads
from du_eval.plugins import load_object


class Wrapped(Struct, frozen=True, eq=False):
    """Code that takes the utterances so far as a list and returns what to say."""

    call: Any
    threads: Threads = field(default_factory=Threads)

    async def reply(self, conversation: Conversation) -> str:
        """Return what the code says; plain code runs beside the event loop, even if it hangs."""
        texts = list_texts(conversation)
        if inspect.iscoroutinefunction(self.call):
            return await _said(self.call(texts))
        return await _said(self.threads.call(lambda: self.call(texts)))


class Guarded(Struct, frozen=True):
    """A chatter of a user's own that speaks our protocol; whatever it raises is its outcome."""

    chatter: Any
    at_once: int | None = None
    """How many conversations it holds side by side; None: as many as are wanted."""

    async def reply(self, conversation: Conversation) -> str:
        """Return what the chatter says."""
        return await _said(self.chatter.reply(conversation))

    async def start(self) -> None:
        """Let the chatter begin, where it has something to do first."""
        await if_there(self.chatter, "start")

    async def close(self) -> None:
        """Let the chatter end."""
        await if_there(self.chatter, "close")


async def _said(answer: Awaitable[object]) -> str:
    try:
        found = await answer
    except ChatterError:
        raise
    except (Exception, SystemExit) as error:  # an exit, too, is an answer that is missing, and no more
        raise ChatterError(f"the chatter raised {type(error).__name__}: {error}") from error
    if found is None:
        raise ChatterError("the chatter returned nothing; return an empty text where it stays silent")
    return str(found)


class Remembering(Struct):
    """The chatter of one conversation; one that joins later, when a run goes on, is told what it missed."""

    chatter: Chatter
    is_new: bool = True

    async def reply(self, conversation: Conversation) -> str:
        """Return what the chatter says; what it says again to earlier prompts is not used."""
        if self.is_new:
            self.is_new = False
            for end, turn in enumerate(conversation.turns[:-1], 1):
                if turn.speaker is Speaker.USER:
                    await self.chatter.reply(Conversation(conversation.turns[:end]))
        return await self.chatter.reply(conversation)

    async def close(self) -> None:
        """Let the chatter end."""
        await if_there(self.chatter, "close")


class Fresh(Struct, frozen=True):
    """A class of a user's own: each conversation has an object of its own, which may remember in itself."""

    make: Callable[[], Any]
    path: str

    def open_conversation(self) -> Chatter:
        """Return the chatter of one conversation; an object without attributes has nothing to remember in."""
        made = self.make()
        chatter = _wrap(made, self.path)
        return Remembering(chatter) if getattr(made, "__dict__", True) else chatter

    async def reply(self, conversation: Conversation) -> str:
        """Return what a new object says."""
        return await self.open_conversation().reply(conversation)


def make_function_chatter(path: str) -> Chatter:
    """Return the chatter of a class path, a function path, or an object with one of the two methods.

    A class is made anew for each conversation, unless it says that one object serves all: by `is_shared`,
    `at_once`, or a method `start`.
    """
    found = load_object(path)
    made = found() if inspect.isclass(found) else found
    wrapped = _wrap(made, path)
    if not inspect.isclass(found) or any(hasattr(made, name) for name in ("is_shared", "at_once", "start")):
        return wrapped
    return Fresh(found, path)


def _wrap(made: object, path: str) -> Chatter:
    if hasattr(made, "get_response"):
        return Wrapped(made.get_response)
    if hasattr(made, "reply"):
        return Guarded(made, getattr(made, "at_once", None))
    if callable(made):
        return Wrapped(made)
    raise PluginError(
        f"'{path}' is not a chatter: it has neither get_response(conv_array) nor reply(conversation)"
    )
