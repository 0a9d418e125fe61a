"""What a perturbation takes and gives: words with protected spans in, a text with its realised level out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from random import Random
from typing import Protocol

from msgspec import Struct

_WORD = re.compile(r"\S+")
_CORE = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)


class Perturbed(Struct, frozen=True):
    """A changed text; the level says what really changed, not what was asked for."""

    text: str
    level: float
    unit: str
    """What the level counts: `edits`, `swaps` or `share of words`."""
    nominal: float
    changed: tuple[int, ...] = ()
    """The places of the words that were changed."""


class Perturbation(Protocol):
    """Changes a text by about a level; the same randomness gives the same text."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the changed text."""
        ...


def split_words(text: str) -> list[str]:
    """Return the words of a text as blanks part them, with their punctuation."""
    return _WORD.findall(text)


def split_word(word: str) -> tuple[str, str, str]:
    """Return the punctuation before, the letters, and the punctuation after a word."""
    found = _CORE.match(word)
    assert found is not None, "the pattern matches every text"
    before, core, after = found.groups()
    return (before, core, after) if core else (word, "", "")


def find_free_places(words: Sequence[str], protected: Collection[str]) -> list[int]:
    """Return the places of the words outside protected spans; a span is a run of words, in any case."""
    spans = [[split_word(word)[1].casefold() for word in split_words(span)] for span in protected]
    cores = [split_word(word)[1].casefold() for word in words]
    taken: set[int] = set()
    for span in filter(None, spans):
        for start in range(len(cores) - len(span) + 1):
            if cores[start : start + len(span)] == span:
                taken.update(range(start, start + len(span)))
    return [place for place, core in enumerate(cores) if place not in taken and core]


def choose_places(places: Sequence[int], count: int, random: Random) -> list[int]:
    """Return some of the places, in order."""
    return sorted(random.sample(list(places), min(count, len(places))))


def count_words(share: float, words: int) -> int:
    """Return how many words a share is: at least one for any share above nothing."""
    return 0 if share <= 0 else max(1, int(share * words + 0.5))
