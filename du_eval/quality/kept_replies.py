"""Replies are written down the moment they are there, and found again when a run goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from du_eval.quality.dialogue import Exchange, Outcome
from du_eval.runs.journal import Journal, Record
from du_eval.runs.record import Key

_EXCHANGE = TypeAdapter(Exchange)


@dataclass(frozen=True)
class KeptReplies:
    """The replies of a run in its journal; without one, nothing is kept."""

    journal: Journal | None
    kind: str

    def find(
        self, number: int, turn: int, asked: Sequence[str], *, with_errors: bool = False
    ) -> Exchange | None:
        """Return the exchange of a turn of a dialogue, if it followed on just this."""
        if self.journal is None:
            return None
        key = Key(self.kind, str(number), turn)
        record = self.journal.find(key, _fingerprint(asked), with_errors=with_errors)
        return None if record is None else _exchange_of(record)

    def keep(self, number: int, turn: int, asked: Sequence[str], exchange: Exchange) -> None:
        """Write an exchange down; an error or a time-out is none that a later run would use."""
        if self.journal is None:
            return
        key, told = Key(self.kind, str(number), turn), _plain(exchange)
        if exchange.outcome in {Outcome.ERROR, Outcome.TIMEOUT}:
            text = json.dumps(told, ensure_ascii=False)
            self.journal.append(Record(key, _fingerprint(asked), None, text, str(exchange.outcome)))
        else:
            self.journal.append(Record(key, _fingerprint(asked), told, outcome=str(exchange.outcome)))


def _fingerprint(asked: Sequence[str]) -> str:
    """Return a hash of all that was said: a kept reply belongs to its own dialogue only."""
    text = json.dumps(list(asked), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _plain(exchange: Exchange) -> dict[str, Any]:
    return {name: value for name, value in asdict(exchange).items() if name != "mark"}


def _exchange_of(record: Record) -> Exchange | None:
    """Return the exchange of a record; None for a damaged one, so that the bot is asked again."""
    try:
        return _EXCHANGE.validate_python(record.answer or json.loads(record.error))
    except (ValueError, RecursionError):
        return None
