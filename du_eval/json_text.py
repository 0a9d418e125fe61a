"""Values into JSON, where long texts, such as prompts, are written quickly, and only once."""

from __future__ import annotations

import json
from functools import lru_cache
from secrets import token_hex
from typing import Any

_LONG = 500
_CONTROLS = bytes(range(32))
_MARK = token_hex(8)
"""Stands for a long text until the rest is written; nobody can know it, so no text can hold it."""
_PLAIN = json.JSONEncoder(ensure_ascii=False)


def json_bytes(data: Any, encoder: json.JSONEncoder) -> bytes:
    """Return what an encoder that keeps all letters writes; half a letter is a UnicodeEncodeError."""
    long: list[str] = []
    found = encoder.encode(_shortened(data, long)).encode()
    for number, text in enumerate(long):
        found = found.replace(b'"%s%d."' % (_MARK.encode(), number), _quoted(text), 1)
    return found


def _shortened(data: Any, long: list[str]) -> Any:
    """Return data with a mark in the place of each long text."""
    kind = type(data)
    if kind is str:
        if len(data) < _LONG:
            return data
        long.append(data)
        return f"{_MARK}{len(long) - 1}."
    if kind is dict:
        return {key: _shortened(value, long) for key, value in data.items()}
    if kind is list:
        return [_shortened(value, long) for value in data]
    return data


@lru_cache(maxsize=256)  # a prompt is sent, and written down a little later
def _quoted(text: str) -> bytes:
    """Return a text as a JSON string."""
    found = text.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    if len(found.translate(None, _CONTROLS)) < len(found):  # rarer ones, such as a tab
        return _PLAIN.encode(text).encode()
    return b'"%s"' % found
