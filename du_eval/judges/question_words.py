"""How alike questions are by the meaning of their words; Russian by way of English."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from du_eval.judges.lexicon import read_data
from du_eval.judges.plain_text import WORD

_CYRILLIC = re.compile(r"[а-я]")


@cache
def _russian() -> tuple[dict[str, str], re.Pattern[str]]:
    """Return English words by the beginnings of Russian ones, and a pattern of groups of words."""
    table: dict[str, str] = read_data("russian_words.yml")
    known = {stem: word for word, stems in table.items() for stem in stems.split()}
    groups = sorted((one for one in known if "_" in one), key=len, reverse=True)
    return known, re.compile(r"\b(?:" + "|".join(one.replace("_", r"\w* ") for one in groups) + r")\w*")


def translate(text: str) -> str:
    """Return a text with English words for the Russian ones that are known."""
    if not _CYRILLIC.search(text):
        return text
    known, groups = _russian()
    stems = {one: re.compile(one.replace("_", r"\w* ")) for one in known if "_" in one}

    def replace(found: re.Match[str]) -> str:
        return known[max((one for one in stems if stems[one].match(found[0])), key=len)]

    return WORD.sub(lambda found: _translate_word(found[0], known), groups.sub(replace, text))


def _translate_word(word: str, known: dict[str, str]) -> str:
    if not _CYRILLIC.match(word):
        return word
    return next((known[word[:end]] for end in range(len(word), 1, -1) if word[:end] in known), word)


@lru_cache(100_000)
def measure_likeness(one: str, other: str) -> float:
    """Return how alike two texts are, from -1 to 1, by the sum of the vectors of their words."""
    from du_eval.text.meaning import embed  # noqa: PLC0415 - reads a table, only where questions are compared

    return float(embed(one) @ embed(other))
