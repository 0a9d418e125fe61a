"""What the words of a question mean: small vectors, learned from MiniLM; Russian by way of English."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from du_eval.judges.lexicon import read_data
from du_eval.judges.plain_text import WORD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_CYRILLIC = re.compile(r"[а-я]")
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ly")


@cache
def _load() -> dict[str, Floats]:
    import numpy as np  # noqa: PLC0415 - only where questions are compared

    with files("du_eval.judges.data").joinpath("question_words.npz").open("rb") as file:
        read = np.load(file)
        words, rows = read["words"].tobytes().decode().split("\n"), read["rows"].astype(np.float64)
    return dict(zip(words, rows, strict=True))


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


@lru_cache(10_000)
def find_vector(word: str) -> Floats | None:
    """Return the vector of a word, or of the word that it is a form of."""
    known = _load()
    forms = (word, *(word.removesuffix(end) for end in _ENDINGS if word.endswith(end)))
    return next((known[form] for form in forms if form in known), None)


def measure_likeness(one: str, other: str) -> float:
    """Return how alike two texts are, from -1 to 1, by the sum of the vectors of their words."""
    left, right = _sum(one), _sum(other)
    if left is None or right is None:
        return 0.0
    length = float(left @ left) * float(right @ right)
    return float(left @ right) / length**0.5 if length else 0.0


@lru_cache(10_000)
def _sum(text: str) -> Floats | None:
    found = [row for row in map(find_vector, re.findall("[a-z]+", text)) if row is not None]
    return sum(found[1:], found[0]) if found else None
