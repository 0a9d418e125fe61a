"""A dialogue between a tester and a bot: what was planned, said and measured, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import asdict

from du_eval.chatters.replies import Exchange
from du_eval.quality.facts.model import DrawnFact


class LineRole(StrEnum):
    """What an injected utterance is for."""

    INFORMATION = "information"
    CONTEXT = "context"
    COMPETING = "competing"
    UPDATE = "update"
    QUESTION = "question"
    CONTROL = "control"
    """The same question without the difficulty: what the question is compared with."""
    REFERENCE = "reference"
    """The first question about the bot itself: its answer is what later ones are compared with."""


TWINS = "twins "
"""How the name of a pair begins that two conversations hold together."""
ASKED = frozenset({LineRole.QUESTION, LineRole.CONTROL})


class Line(Struct, frozen=True):
    """One utterance of a test: its text, its part in the test, and how hard it was made."""

    text: str
    role: LineRole
    wait: int = 1
    """How many turns after the line before."""
    level: float | None = None
    nominal: float | None = None
    unit: str = ""
    variant: str = ""
    """A kind of trial that is reported on its own, such as `updated` or `never told`."""


class Mark(Struct, frozen=True):
    """That an utterance belongs to a trial of a test."""

    test: str
    trial: int
    role: LineRole
    level: float | None = None
    nominal: float | None = None
    unit: str = ""
    variant: str = ""
    distance: int | None = None
    """How many turns ago the information was told."""
    pair: str = ""
    """The same for a question and the control that it is compared with; empty where there is no control."""


class MarkedExchange(Exchange, frozen=True):
    """An exchange of a test dialogue."""

    mark: Mark | None = None


def mark_exchange(exchange: Exchange, mark: Mark | None) -> MarkedExchange:
    """Return an exchange with the trial that it belongs to."""
    said = (exchange.prompt, exchange.reply, exchange.outcome, exchange.detail, exchange.seconds)
    return MarkedExchange(*said, mark)


class Dialogue(Struct, frozen=True):
    """A finished dialogue with the facts behind its trials."""

    number: int
    exchanges: tuple[MarkedExchange, ...]
    facts: Mapping[int, DrawnFact] = field(default_factory=dict)
    """Trial -> the fact that it is about."""
    name: str = ""

    def list_said_before(self, place: int) -> tuple[str, ...]:
        """Return all that was said up to and with the prompt of a turn."""
        said: list[str] = []
        for exchange in self.exchanges[:place]:
            said += [exchange.prompt, exchange.reply]
        return (*filter(None, said), self.exchanges[place].prompt)

    def as_data(self) -> dict[str, object]:
        """Return the dialogue as plain data."""
        return {
            "number": self.number,
            "name": self.name,
            "exchanges": [_exchange_data(exchange) for exchange in self.exchanges],
            "facts": {str(trial): asdict(fact) for trial, fact in self.facts.items()},
        }

    @classmethod
    def from_data(cls, data: Mapping[str, object]) -> Dialogue:
        """Read plain data; raise ValidationError, a ValueError, where they have another form."""
        return convert(data, cls, str_keys=True)


def _exchange_data(exchange: MarkedExchange) -> dict[str, object]:
    data: dict[str, object] = to_builtins(exchange)
    if exchange.mark is None:
        del data["mark"]
    return data
