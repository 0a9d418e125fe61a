"""Words to replace others with or to add: everyday words, synonyms, fillers, in English and Russian."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_DATA = "du_eval.perturbations.data"


def language_of(text: str) -> str:
    """Return `ru` for a text with Cyrillic letters, `en` otherwise."""
    return "ru" if any("а" <= letter <= "я" for letter in text.casefold()) else "en"


def random_words(text: str) -> tuple[str, ...]:
    """Return everyday words of the language of a text."""
    return _words(language_of(text))


def synonyms(text: str) -> Mapping[str, tuple[str, ...]]:
    """Return the synonyms of words, in the language of a text."""
    return _synonyms(language_of(text))


def fillers(text: str) -> tuple[str, ...]:
    """Return words that are said while thinking, in the language of a text."""
    return _fillers(language_of(text))


@cache
def _fillers(language: str) -> tuple[str, ...]:
    return tuple(files(_DATA).joinpath(f"fillers_{language}.txt").read_text(encoding="utf-8").splitlines())


@cache
def _words(language: str) -> tuple[str, ...]:
    return tuple(files(_DATA).joinpath(f"words_{language}.txt").read_text(encoding="utf-8").split())


@cache
def _synonyms(language: str) -> Mapping[str, tuple[str, ...]]:
    """Read groups of synonyms, one a line; each word of a group gets the others."""
    table: dict[str, tuple[str, ...]] = {}
    for line in files(_DATA).joinpath(f"synonyms_{language}.txt").read_text(encoding="utf-8").splitlines():
        group = [word.strip() for word in line.split(",") if word.strip()]
        for word in group:
            others = tuple(other for other in group if other != word)
            table[word] = table.get(word, ()) + others
    return table
