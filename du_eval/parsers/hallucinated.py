"""Commands that do not exist: what has the form of a call in text that no command claims."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import regex

from du_eval.commands.registry import CommandRegistry
from du_eval.parsers.tool_calls import name_of

_CALL = regex.compile(r"(?<![\w.])(?P<name>[A-Z]\w*|[a-z]\w*_\w+)\((?P<arguments>[^()\n]{0,2000})\)")
_PLURAL = frozenset({"s", "es", "n", "ies"})
_WORDS = regex.compile(r"[\W_]+")


def find_hallucinated(unparsed: Iterable[str], registry: CommandRegistry) -> tuple[str, ...]:
    """Return the calls of commands that a vocabulary does not have; a known name in a wrong form is none."""
    known = {same_name(name) for command in registry for name in (command.__name__, command.name)}
    return tuple(call for text in unparsed for name, call in _calls(text) if same_name(name) not in known)


def same_name(name: str) -> str:
    """Return a name without what people and models change in it: case, blanks, underscores."""
    return str(_WORDS.sub("", name)).casefold()


def _calls(text: str) -> Iterator[tuple[str, str]]:
    data = _data(text)
    if data:
        yield data, text
        return
    for match in _CALL.finditer(text):
        is_prose = match["arguments"] in _PLURAL or not any(map(str.islower, match["name"]))
        if not is_prose:
            yield match["name"], match[0]


def _data(text: str) -> str:
    """Return the name that a command in the form of data has."""
    if not text.startswith("{"):
        return ""
    try:
        return name_of(json.loads(text))
    except (ValueError, RecursionError):
        return ""
