"""Whether two values mean the same for a slot, and whether one can come from what was said."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from du_eval.assistants.coercion import coerced
from du_eval.assistants.model import BOOL, CATEGORICAL, FLOAT, LIST, Slot


def is_same_value(slot: Slot, expected: str | None, predicted: str | None) -> bool:
    """Tell whether a slot would hold the same: numbers to the last digit, lists item by item."""
    if expected == predicted:
        return True
    if expected is None or predicted is None:
        return False
    if slot.type == LIST:
        return _items(expected) == _items(predicted)
    values = coerced(slot, expected), coerced(slot, predicted)
    if type(values[0]) is not type(values[1]) or values[0] != values[1]:
        return False
    return slot.type != FLOAT or _exact(expected) == _exact(predicted)


def _exact(value: str) -> Decimal | str:
    """Return a number with all its digits: a float would make long ones equal that are not."""
    try:
        return Decimal(value.strip())
    except InvalidOperation:
        return value


def _items(value: str) -> list[str]:
    """Return the items of a list, however it is written."""
    text = value.strip()
    if text.startswith(("[", "(")):
        for read in (json.loads, ast.literal_eval):
            try:
                found = read(text)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
            if isinstance(found, list | tuple):
                return [str(item) for item in found]
        text = text.strip("[]()")
    return [item.strip(" \t'\"") for item in text.split(",")]


_WORDS = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_OPEN = {"true", "false", "yes", "no", "none", "null", ""}
_SHORTEST = 3
_SMALL = 100


def is_in_conversation(value: object, slot: Slot | None, texts: Iterable[str]) -> bool:
    """Tell whether a value, or a part of it, was said; yes where nobody can tell from the words alone.

    Nobody can tell for truth values, categories, small numbers (they may be words), numbers where none was
    written in digits, and values in another script than the conversation.
    """
    text = " ".join(texts).casefold()
    wanted = str(value).casefold().strip()
    if value is None or wanted in _OPEN or (slot is not None and slot.type in {BOOL, CATEGORICAL}):
        return True
    if wanted in text or _compact(wanted) in _compact(text):
        return True
    if _NUMBER.fullmatch(wanted):
        is_open = float(wanted.replace(",", ".")) < _SMALL or not _NUMBER.search(text)
        return is_open or _has_number(wanted, text)
    if wanted.isascii() and not re.search("[a-z]", text):
        return True
    return any(_is_said(word, text) for word in _WORDS.findall(wanted))


def _compact(text: str) -> str:
    return "".join(_WORDS.findall(text))


def _has_number(wanted: str, text: str) -> bool:
    target = float(wanted.replace(",", "."))
    return any(float(found.replace(",", ".")) == target for found in _NUMBER.findall(text))


def _is_said(word: str, text: str) -> bool:
    """Tell whether a word was said, also with another ending."""
    return len(word) >= _SHORTEST and word[: max(_SHORTEST, len(word) - 2)] in text
