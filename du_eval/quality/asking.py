"""One question to a bot: what it says, or why it says nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from du_eval.conversation import Conversation
from du_eval.errors import ChatterError
from du_eval.quality.chatters.base import Chatter, TalkOverError
from du_eval.quality.dialogue import Exchange, Outcome


async def answered(
    bot: Chatter, conversation: Conversation, timeout_seconds: float, clock: Callable[[], float]
) -> Exchange:
    """Return the exchange of the last prompt; a bot that has nothing left to say raises TalkOverError."""
    prompt = conversation.turns[-1].text
    begin = clock()
    try:
        reply = _whole(await asyncio.wait_for(bot.reply(conversation), timeout_seconds))
    except TimeoutError:
        detail = f"no answer within {timeout_seconds:g} s"
        return Exchange(prompt, "", Outcome.TIMEOUT, detail, clock() - begin)
    except TalkOverError:
        raise
    except ChatterError as error:
        return Exchange(prompt, "", Outcome.ERROR, str(error), clock() - begin)
    return Exchange(prompt, reply, Outcome.ANSWERED if reply else Outcome.EMPTY, "", clock() - begin)


def _whole(reply: str) -> str:
    """Return a reply without blanks around it; half a character, which JSON can carry, is a question mark."""
    return reply.encode("utf-8", "replace").decode("utf-8").strip()
