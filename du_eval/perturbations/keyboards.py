"""Which keys lie next to each other, by keyboard layout."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from du_eval.errors import InputError, did_you_mean

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
        hint = did_you_mean(layout, _ROWS) or f"known are: {', '.join(_ROWS)}"
        raise InputError(f"there is no keyboard layout '{layout}' ({hint})")
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


def layout_for(text: str) -> str:
    """Return the layout that a text was most likely typed on."""
    folded = text.casefold()
    if any("а" <= letter <= "я" or letter == "ё" for letter in folded):
        return "russian"
    if "å" in folded:
        return "swedish"
    return "qwertz" if any(letter in "äöüß" for letter in folded) else "qwerty"


def alphabet_of(layout: str) -> str:
    """Return the letters of a layout."""
    return "".join(sorted(neighbours(layout)))
