"""Whether a slot value can come from what was said."""

from __future__ import annotations

import re
from collections.abc import Iterable

from du_eval.assistants.model import BOOL, CATEGORICAL, Slot

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
