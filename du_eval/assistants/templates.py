"""Texts with variables: `{slot}` and `{{ slots.name }}`, filled without running any code."""

from __future__ import annotations

import re
from collections.abc import Mapping

_DOUBLE = re.compile(r"\{\{\s*(.*?)\s*\}\}", re.DOTALL)
_SINGLE = re.compile(r"\{([^{}\s]+)\}")
_PATH = re.compile(
    r"(?P<root>slots|context)(?P<path>(?:\.\w+)*?)(?P<keys>\.keys\(\))?"
    r"(?:\s*\|\s*join\((?:'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\")\))?"
)


def rendered(text: str, slots: Mapping[str, object], context: Mapping[str, object]) -> str:
    """Return a text with its `{{ … }}` filled; what is no plain path stays as it is."""
    if "{{" not in text:
        return text

    def fill(match: re.Match[str]) -> str:
        path = _PATH.fullmatch(match[1])
        return match[0] if path is None else _text_at(path, {"slots": slots, "context": context})

    return _DOUBLE.sub(fill, text)


def filled(text: str, slots: Mapping[str, object], context: Mapping[str, object]) -> str:
    """Return a response with both kinds of variables filled; an unknown name in braces stays as it is."""
    if "{" not in text:
        return text
    text = rendered(text, slots, context)

    def fill(match: re.Match[str]) -> str:
        name = match[1].removeprefix("slots.")
        return _shown(slots[name]) if name in slots else match[0]

    return _SINGLE.sub(fill, text)


def _text_at(path: re.Match[str], roots: Mapping[str, Mapping[str, object]]) -> str:
    value: object = roots[path["root"]]
    for part in path["path"].split(".")[1:]:
        value = value.get(part) if isinstance(value, Mapping) else None
    if path["keys"] and isinstance(value, Mapping):
        value = list(value)
    separator = path["single"] if path["single"] is not None else path["double"]
    if separator is not None and isinstance(value, list | tuple | Mapping):
        return separator.join(_shown(item) for item in value)
    return _shown(value)


def _shown(value: object) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
