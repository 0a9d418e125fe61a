"""Chatters from a user's own code: our protocol, a class with get_response, or a plain function."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass
from typing import Any

from du_eval.conversation import Conversation
from du_eval.errors import ChatterError, PluginError
from du_eval.plugins import load_object
from du_eval.quality.chatters.base import Chatter, texts_of


@dataclass(frozen=True)
class Wrapped:
    """Code that takes the utterances so far as a list and returns what to say."""

    call: Any

    async def reply(self, conversation: Conversation) -> str:
        """Return what the code says; code that is not asynchronous runs beside the event loop."""
        texts = texts_of(conversation)
        try:
            if inspect.iscoroutinefunction(self.call):
                found = await self.call(texts)
            else:
                found = await asyncio.to_thread(self.call, texts)
        except ChatterError:
            raise
        except Exception as error:
            raise ChatterError(f"the chatter raised {type(error).__name__}: {error}") from error
        return "" if found is None else str(found)


def function_chatter(path: str) -> Chatter:
    """Return the chatter of a class path, a function path, or an object with one of the two methods."""
    found = load_object(path)
    made = found() if inspect.isclass(found) else found
    if hasattr(made, "get_response"):
        return Wrapped(made.get_response)
    if hasattr(made, "reply"):
        chatter: Chatter = made
        return chatter
    if callable(made):
        return Wrapped(made)
    raise PluginError(
        f"'{path}' is no chatter: it has neither get_response(conv_array) nor reply(conversation)"
    )
