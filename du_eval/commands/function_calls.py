"""Calls of functions as commands, compared as the Berkeley Function-Calling Leaderboard compares them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from du_eval.commands.base import Command, argument, find_match, require_text
from du_eval.commands.flows import SearchAndReply

_OBJECT = r'(?P<object>\{(?:[^{}"]++|"(?:[^"\\]|\\.)*+"|(?&object))*+\})'
_IGNORED = re.compile(r"[ ,./\-_*^]")
_OMITTED = ""
"""The alternative that stands for an argument left out."""


@dataclass(frozen=True, slots=True, repr=False)
class CallFunction(SearchAndReply):
    """Call a function with its parameters as a JSON object."""

    name: ClassVar[str] = "call function"
    call: ClassVar[str] = "CallFunction"
    function: str
    parameters: str = "{}"
    has_alternatives: bool = False
    """True for an expectation that lists the right values of each parameter."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "function", re.sub(r"\W+", "_", require_text(self.function)))
        given: object = self.parameters
        if isinstance(given, str):
            given = _loaded(given)
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, sort_keys=True)
        object.__setattr__(self, "parameters", text)

    def to_dsl(self) -> str:
        """Return the call; the word `any` tells that each parameter has a list of right values."""
        kind = "any " if self.has_alternatives else ""
        return f"CallFunction({self.function}, {kind}{self.parameters})"

    @classmethod
    def from_dsl(cls, dsl: object) -> CallFunction:
        """Read function and parameters."""
        match = find_match(cls, dsl)
        parameters = argument(match, "object", 3) or "{}"
        return cls(argument(match, "function", 1), parameters, bool(argument(match, "any", 2)))

    @classmethod
    def regex_pattern(cls) -> str:
        """Match the call, with or without parameters."""
        return rf"(?<!\w)CallFunction\(\s*(?P<function>[\w.-]+)\s*(?:,\s*(?P<any>any\s+)?{_OBJECT}\s*)?\)"

    def arguments(self) -> dict[str, object]:
        """Return function and parameters."""
        return {"function": self.function, "parameters": self.parameters}

    def matches(self, predicted: Command) -> bool:
        """Compare names and parameters; one may be missing only where the expectation allows it."""
        if not isinstance(predicted, CallFunction) or predicted.function != self.function:
            return False
        gold, given = _loaded(self.parameters), _loaded(predicted.parameters)
        if not isinstance(gold, Mapping) or not isinstance(given, Mapping):
            return False
        return _fits_object(gold, given) if self.has_alternatives else _is_same(gold, given)

    def __repr__(self) -> str:
        return f"CallFunction({self.function!r}, {self.parameters!r})"


def _loaded(text: str) -> object:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text


def _fits_object(gold: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Tell whether each value is among those that are right for its key."""
    if not given.keys() <= gold.keys():
        return False
    return all(
        any(_fits_one(one, given[key]) for one in alternatives) if key in given else _OMITTED in alternatives
        for key, alternatives in gold.items()
    )


def _fits_one(alternative: object, given: object) -> bool:
    if isinstance(alternative, Mapping) and isinstance(given, Mapping):
        return _fits_object(alternative, given)
    if isinstance(alternative, list) and isinstance(given, list):
        return len(alternative) == len(given) and all(map(_fits_one, alternative, given))
    return _is_same(alternative, given)


def _is_same(gold: object, given: object) -> bool:
    """Compare values: texts without case, blanks and some signs, lists in order, numbers by their value."""
    if isinstance(gold, str) and isinstance(given, str):
        return _plain(gold) == _plain(given)
    if isinstance(gold, list) and isinstance(given, list):
        return len(gold) == len(given) and all(map(_is_same, gold, given))
    if isinstance(gold, Mapping) and isinstance(given, Mapping):
        return gold.keys() == given.keys() and all(_is_same(gold[key], given[key]) for key in gold)
    if isinstance(gold, bool) or isinstance(given, bool) or gold is None or given is None:
        return gold is given
    is_number = isinstance(gold, int | float) and isinstance(given, int | float)
    return is_number and gold == given


def _plain(text: str) -> str:
    return _IGNORED.sub("", text).lower().replace("'", '"')
