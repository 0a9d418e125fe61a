"""Typing mistakes: a slip to a neighbouring key, a letter too many or too few, two letters exchanged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from random import Random

from msgspec import Struct

from du_eval.errors import InputError, did_you_mean
from du_eval.perturbations.base import Perturbed, find_free_places, split_word, split_words
from du_eval.statistics.distance import edit_distance

_ROWS: Mapping[str, tuple[str, ...]] = {
    "qwerty": ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "azerty": ("1234567890", "azertyuiop", "qsdfghjklm", "wxcvbn"),
    "qwertz": ("1234567890", "qwertzuiopü", "asdfghjklöä", "yxcvbnm"),
    "swedish": ("1234567890", "qwertyuiopå", "asdfghjklöä", "zxcvbnm"),
    "russian": ("1234567890", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
}
LAYOUTS = tuple(_ROWS)


@cache
def neighbours(layout: str) -> Mapping[str, str]:
    """Return the letters around each letter; rows are half a key apart."""
    rows = _ROWS.get(layout)
    if rows is None:
        hint = did_you_mean(layout, _ROWS) or f"choose from: {', '.join(_ROWS)}"
        raise InputError(f"unknown keyboard layout '{layout}' ({hint})")
    keys = {
        (line, place + line * 0.5): letter
        for line, row in enumerate(rows)
        for place, letter in enumerate(row)
    }
    return {
        letter: "".join(
            other
            for (row, column), other in keys.items()
            if other != letter and other.isalpha() and abs(row - line) <= 1 and abs(column - place) <= 1
        )
        for (line, place), letter in keys.items()
        if letter.isalpha()
    }


def choose_layout(text: str) -> str:
    """Return the layout that a text was most likely typed on."""
    folded = text.casefold()
    if any("а" <= letter <= "я" or letter == "ё" for letter in folded):
        return "russian"
    if "å" in folded:
        return "swedish"
    return "qwertz" if any(letter in "äöüß" for letter in folded) else "qwerty"


KINDS = ("substitute", "insert", "delete", "transpose")
_MOST_TRIES = 20


class Typos(Struct, frozen=True):
    """Makes `level` typing mistakes in a text, on the keys of a layout (found from the text when empty)."""

    layout: str = ""
    kinds: tuple[str, ...] = KINDS

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text with mistakes; the level is the number of single edits that undo them."""
        words = split_words(text)
        places = find_free_places(words, protected)
        keys = neighbours(self.layout or choose_layout(text))
        changed = list(words)
        for _ in range(int(level) if places else 0):
            place = random.choice(places)
            changed[place] = self._with_typo(changed[place], words[place], random, keys)
        distances = [edit_distance(old, new) for old, new in zip(words, changed, strict=True)]
        touched = tuple(place for place, distance in enumerate(distances) if distance)
        return Perturbed(" ".join(changed), sum(distances), "edits", level, touched)

    def _with_typo(self, word: str, original: str, random: Random, keys: Mapping[str, str]) -> str:
        """Return the word one mistake further from the original, if some tries find one."""
        distance = edit_distance(original, word)
        for _ in range(_MOST_TRIES):
            before, core, after = split_word(word)
            candidate = before + _EDITS[random.choice(self.kinds)](core, random, keys) + after
            if edit_distance(original, candidate) == distance + 1 and split_word(candidate)[1]:
                return candidate
        return word


def _near(letter: str, random: Random, keys: Mapping[str, str]) -> str:
    around = keys.get(letter.casefold(), "")
    if not around:
        return letter
    found = random.choice(around)
    return found.upper() if letter.isupper() else found


def _substitute(core: str, random: Random, keys: Mapping[str, str]) -> str:
    place = random.randrange(len(core))
    return core[:place] + _near(core[place], random, keys) + core[place + 1 :]


def _insert(core: str, random: Random, keys: Mapping[str, str]) -> str:
    place = random.randrange(len(core))
    return core[: place + 1] + _near(core[place], random, keys).casefold() + core[place + 1 :]


def _delete(core: str, random: Random, keys: Mapping[str, str]) -> str:
    del keys
    if len(core) < 2:
        return core
    place = random.randrange(len(core))
    return core[:place] + core[place + 1 :]


def _transpose(core: str, random: Random, keys: Mapping[str, str]) -> str:
    del keys
    if len(core) < 2:
        return core
    place = random.randrange(len(core) - 1)
    return core[:place] + core[place + 1] + core[place] + core[place + 2 :]


_EDITS: Mapping[str, Callable[[str, Random, Mapping[str, str]], str]] = {
    "substitute": _substitute,
    "insert": _insert,
    "delete": _delete,
    "transpose": _transpose,
}
