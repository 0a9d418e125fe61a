"""One question to a bot: its reply or the reason for none, kept at once and found when a run goes on."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct, convert
from msgspec.structs import asdict

from du_eval.chatters.base import Chatter, TalkOverError
from du_eval.conversation import Conversation
from du_eval.errors import ChatterError
from du_eval.runs.journal import Journal, Record
from du_eval.runs.record import Key


class ReplyStatus(StrEnum):
    """What became of a turn of the bot."""

    ANSWERED = "answered"
    EMPTY = "empty"
    ERROR = "error"
    TIMEOUT = "timeout"


class Exchange(Struct, frozen=True):
    """A prompt of the tester and the reply of the bot."""

    prompt: str
    reply: str = ""
    outcome: ReplyStatus = ReplyStatus.ANSWERED
    detail: str = ""
    seconds: float | None = None


async def ask_chatter(
    bot: Chatter, conversation: Conversation, timeout_seconds: float, clock: Callable[[], float]
) -> Exchange:
    """Return the exchange of the last prompt; a bot that has nothing left to say raises TalkOverError."""
    prompt = conversation.turns[-1].text
    begin = clock()
    try:
        reply = _whole(await asyncio.wait_for(bot.reply(conversation), timeout_seconds))
    except TimeoutError:
        detail = f"no answer within {timeout_seconds:g} s"
        return Exchange(prompt, "", ReplyStatus.TIMEOUT, detail, clock() - begin)
    except TalkOverError:
        raise
    except ChatterError as error:
        return Exchange(prompt, "", ReplyStatus.ERROR, str(error), clock() - begin)
    return Exchange(prompt, reply, ReplyStatus.ANSWERED if reply else ReplyStatus.EMPTY, "", clock() - begin)


def _whole(reply: str) -> str:
    """Return a reply without blanks around it; half a character, which JSON can carry, is a question mark."""
    return reply.encode("utf-8", "replace").decode("utf-8").strip()


class KeptReplies(Struct, frozen=True):
    """The replies of a run in its journal; without one, nothing is kept."""

    journal: Journal | None
    kind: str
    with_errors: bool = False
    """Whether turns without a reply count as known: where nobody can be asked again."""

    def find(self, number: int, turn: int, asked: Sequence[str]) -> Exchange | None:
        """Return the exchange of a turn of a dialogue, if it followed on just this."""
        if self.journal is None:
            return None
        key = Key(self.kind, str(number), turn)
        record = self.journal.find(key, _fingerprint(asked), with_errors=self.with_errors)
        return None if record is None else _exchange_of(record)

    def keep(self, number: int, turn: int, asked: Sequence[str], exchange: Exchange) -> None:
        """Write an exchange down; an error or a time-out is none that a later run would use."""
        if self.journal is None:
            return
        key, told = Key(self.kind, str(number), turn), asdict(exchange)
        if exchange.outcome in {ReplyStatus.ERROR, ReplyStatus.TIMEOUT}:
            text = json.dumps(told, ensure_ascii=False)
            self.journal.append(Record(key, _fingerprint(asked), None, text, str(exchange.outcome)))
        else:
            self.journal.append(Record(key, _fingerprint(asked), told, outcome=str(exchange.outcome)))


def _fingerprint(asked: Sequence[str]) -> str:
    """Return a hash of all that was said: a kept reply belongs to its own dialogue only."""
    text = json.dumps(list(asked), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _exchange_of(record: Record) -> Exchange | None:
    """Return the exchange of a record; None for a damaged one, so that the bot is asked again."""
    try:
        return convert(record.answer or json.loads(record.error), Exchange)
    except (ValueError, RecursionError):
        return None
