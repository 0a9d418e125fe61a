"""Words of a text: tokens, stems, and what two texts have in common."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_APOSTROPHE = re.compile(r"[’`´]")
_EMOJI = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]+")
_BLANKS = re.compile(r"\s+")


def plain(text: str) -> str:
    """Return a text with straight apostrophes and single blanks, without emoji."""
    text = unicodedata.normalize("NFKC", text)
    return _BLANKS.sub(" ", _EMOJI.sub(" ", _APOSTROPHE.sub("'", text))).strip()


def words(text: str) -> list[str]:
    """Return the words in lower case."""
    return [word.lower() for word in _WORD.findall(plain(text))]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word without its most common English endings; the result is a key, not a word."""
    word = word.removesuffix("'s")
    for ending, stands_for in (
        ("ies", "y"), ("ment", ""), ("ments", ""), ("ings", ""), ("ing", ""), ("ied", "y"), ("ed", ""),
        ("sses", "ss"), ("es", ""), ("s", ""), ("ly", ""),
    ):  # fmt: skip
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: len(word) - len(ending)] + stands_for
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsaeiou":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def common_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence, with one bit for each item of the first side.

    This is the bit-parallel method of Crochemore et al. (2001): a zero bit marks a matched item.
    """
    places: dict[Hashable, int] = {}
    bit = 1
    for item in one:
        places[item] = places.get(item, 0) | bit
        bit <<= 1
    mask = bit - 1
    row = mask
    for item in other:
        if matched := row & places.get(item, 0):
            row = ((row + matched) | (row - matched)) & mask
    return len(one) - row.bit_count()
