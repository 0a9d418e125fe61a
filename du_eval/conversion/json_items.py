"""The items of large JSON files one by one: a list, or one value after the other (JSON lines)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from du_eval.errors import InputError, Problem
from du_eval.trust.reading import open_file

_CHUNK = 1 << 20
LONGEST_ITEM = 64_000_000
"""The longest item, in characters."""
_SEPARATORS = re.compile(r"[\s,]*")


def stream_items(path: Path) -> Iterator[Any]:
    """Yield the items of a file; only the one that is read is held in memory."""
    try:
        with TextIOWrapper(open_file(path), "utf-8-sig") as file:
            yield from _Items(file.read, str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            Problem(str(path), 0, f"cannot be read: {error}", "name a JSON file in UTF-8")
        ) from error


class _Items:
    """Decodes values from a text that arrives in pieces."""

    def __init__(self, read: Callable[[int], str], name: str) -> None:
        self._read = read
        self._name = name
        self._decoder = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._lines = 0
        self._is_list = False

    def __iter__(self) -> Iterator[Any]:
        self._grow()
        self._skip_opening()
        while self._skip_separators():
            yield self._next()

    def _skip_opening(self) -> None:
        start = _SEPARATORS.match(self._text)
        self._at = start.end() if start else 0
        if self._text[self._at : self._at + 1] == "[" and not self._is_list_per_line():
            self._is_list = True
            self._at += 1

    def _is_list_per_line(self) -> bool:
        """Tell whether the first line is a list of its own: JSON lines whose items are lists."""
        first, _, rest = self._text[self._at :].partition("\n")
        if not rest.strip():
            return False
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            return False
        return True

    def _skip_separators(self) -> bool:
        """Move to the next value; return False at the end of the list or file."""
        while True:
            found = _SEPARATORS.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return not (self._is_list and self._text[self._at] == "]")
            if not self._grow():
                return False

    def _next(self) -> Any:
        while True:
            try:
                item, self._at = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._grow():
                    line = self._lines + error.lineno
                    raise InputError(Problem(self._name, line, f"not valid JSON: {error.msg}")) from error
            except (ValueError, RecursionError) as error:
                # Too many digits, or too deep: more of the text does not help.
                line = self._lines + self._text.count("\n", 0, self._at) + 1
                raise InputError(Problem(self._name, line, f"not usable JSON: {error}")) from error
            else:
                return item

    def _grow(self) -> bool:
        """Read more; the more is pending, the more is read at once, so that a long item costs no squares."""
        pending = self._text[self._at :]
        if len(pending) > LONGEST_ITEM:
            message = f"not valid JSON, or an item of more than {LONGEST_ITEM:,} characters"
            raise InputError(Problem(self._name, self._lines + 1, message))
        more: str = self._read(max(_CHUNK, len(pending)))
        if not more:
            return False
        self._lines += self._text.count("\n", 0, self._at)
        self._text, self._at = pending + more, 0
        return True
