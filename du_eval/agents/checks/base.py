"""What a check is: one question about one value, with the words to speak about it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from du_eval.agents.model import DOCUMENTED, AgentManner
from du_eval.agents.results import AgentReply
from du_eval.judges.gist import GistJudge
from du_eval.judges.similarity import SimilarityJudge
from du_eval.judges.toxicity import ToxicityJudge

_LONGEST = 300
_KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


class InapplicableError(Exception):
    """The question makes no sense for this value."""


class CheckScope(StrEnum):
    """What a check looks at: a value below a part, or the response as a whole."""

    VALUE = "value"
    RESPONSE = "response"


class Judges(Struct, frozen=True):
    """Who has an opinion where rules do not decide."""

    gist: GistJudge
    similarity: SimilarityJudge
    toxicity: ToxicityJudge

    @property
    def signature(self) -> str:
        """The judges by name."""
        return f"gist:{self.gist.name}|similar:{self.similarity.name}|toxicity:{self.toxicity.name}"


class Subject(Struct, frozen=True):
    """What is under test, and in which light."""

    value: Any
    reply: AgentReply
    seconds: float
    judges: Judges
    ignores_case: bool = False
    manner: AgentManner = DOCUMENTED

    @property
    def text(self) -> str:
        """The value, where it is a text."""
        if not isinstance(self.value, str):
            raise InapplicableError(f"it is {name_kind(self.value)}, not a string")
        return self.value

    def fold(self, value: object) -> Any:
        """Return a value as it is compared: without case where case is ignored."""
        if not self.ignores_case:
            return value
        if isinstance(value, str):
            return value.casefold()
        return [self.fold(item) for item in value] if isinstance(value, list) else value


class CheckFinding(Struct, frozen=True):
    """Whether the question is answered with yes; None where that is not decided."""

    holds: bool | None
    detail: str = ""
    judge: str = ""


Test = Callable[[Subject, Any], CheckFinding | Awaitable[CheckFinding]]


def anything(raw: object) -> object:
    """Accept any expectation but null."""
    if raw is None:
        raise ValueError("null is not an expectation; use 'missing: true' for a value that must be absent")
    return raw


class CheckKind(Struct, frozen=True):
    """One kind of check: how its expectation is read, tested and put into words."""

    name: str
    phrase: Callable[[Any], str]
    test: Test
    prepare: Callable[[object], object] = anything
    scope: CheckScope = CheckScope.VALUE
    options: frozenset[str] = field(default_factory=frozenset)
    """The keys of an expectation that is written as an object."""
    takes_any_object: bool = False
    takes_list: Callable[[list[Any]], bool] = lambda _: False
    """Whether a list is one expectation, and not several that must all hold."""
    takes_missing: bool = False
    """Whether the question makes sense for a value that is not there."""
    needs_messages: bool = False
    """Whether the answer alone is not enough: the server must tell everything."""

    def takes_object(self, raw: dict[str, object]) -> bool:
        """Return whether an object is this check's expectation, and not a deeper level of the response."""
        return self.takes_any_object or (bool(raw) and bool(self.options) and set(raw) <= self.options)


def name_kind(value: object) -> str:
    """Return in words what sort of value it is."""
    for kind, words in _KINDS.items():
        if isinstance(value, kind):
            return words
    return type(value).__name__


def show_value(value: object) -> str:
    """Return a value as it is printed: as JSON, and not endlessly."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def is_number(value: object) -> bool:
    """Return whether a value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(raw: object) -> float:
    """Accept a number."""
    if not is_number(raw):
        raise ValueError(f"needs a number, not {name_kind(raw)}")
    return raw  # type: ignore[return-value]


def text(raw: object) -> str:
    """Accept a text that is not empty."""
    if not isinstance(raw, str):
        raise ValueError(f"needs a string, not {name_kind(raw)}")  # noqa: TRY004
    if not raw:
        raise ValueError("needs a non-empty string")
    return raw


def switch(raw: object) -> bool:
    """Accept true or false."""
    if not isinstance(raw, bool):
        raise ValueError(f"needs true or false, not {name_kind(raw)}")  # noqa: TRY004
    return raw
