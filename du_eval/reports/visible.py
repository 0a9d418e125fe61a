"""Foreign text that cannot trick its reader: what is invisible or steers a terminal is spelled out."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from itertools import zip_longest

from du_eval.reports.sections import Diff

_JOINERS = "\u200c\u200d"
"""Some scripts and emoji need them between two characters."""
_FIRST_BEYOND_ASCII = 0x80
_TWINS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧονϲ", "ABESIJKMHOPCTYXaesijopcyxhdqwABEZHIKMNOPTYXovc"
)
"""Cyrillic and Greek letters that look like Latin ones."""


def make_visible(text: str) -> str:
    """Return a text in one line, with control, bidirectional and invisible characters spelled out."""
    if text.isprintable():
        return text
    return "".join(_show(text, place) for place in range(len(text)))


def make_lines_visible(text: str) -> list[str]:
    """Return the lines of a text, each made visible."""
    return [make_visible(line) for line in text.replace("\r\n", "\n").split("\n")]


def _show(text: str, place: int) -> str:
    character = text[place]
    if character.isprintable():
        return character
    if character == "\n":
        return "⏎"
    if character == "\t" or unicodedata.category(character) == "Zs":
        return " "
    if character in _JOINERS and _is_inside_a_word(text, place):
        return character
    return spell_out(character)


def _is_inside_a_word(text: str, place: int) -> bool:
    around = (text[place - 1 : place], text[place + 1 : place + 2])
    return all(one and ord(one) >= _FIRST_BEYOND_ASCII and one.isprintable() for one in around)


def spell_out(character: str) -> str:
    """Return the code of a character, as Python writes it."""
    code = ord(character)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def tell_apart(one: str, other: str) -> tuple[str, str]:
    """Return two texts made visible; where they differ but look alike, the difference is spelled out."""
    if one == other or _reduce(one) != _reduce(other):
        return make_visible(one), make_visible(other)
    left, right = [], []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        show = make_visible if kind == "equal" else _spell_differing
        left.append(show(one[a:b]))
        right.append(show(other[c:d]))
    return "".join(left), "".join(right)


def _reduce(text: str) -> str:
    """Return a text as it looks: composed, in Latin letters as far as it looks so, without the invisible."""
    plain = unicodedata.normalize("NFKC", text.translate(_TWINS)).translate(_TWINS)
    seen = (" " if unicodedata.category(one) == "Zs" else one for one in plain)
    return "".join(one for one in seen if unicodedata.category(one) not in {"Cf", "Cc"})


def _spell_differing(text: str) -> str:
    return "".join(
        one if one.isascii() and one.isprintable() else "⏎" if one == "\n" else spell_out(one) for one in text
    )


def pair_rows(diff: Diff) -> list[tuple[str, str, bool]]:
    """Return the rows of a diff: what was expected, what came, whether they agree; made visible."""
    if diff.agrees:
        rows = list(zip_longest(diff.expected, diff.actual, diff.agrees, fillvalue=""))
        return [(*tell_apart(str(a), str(b)), bool(agrees)) for a, b, agrees in rows]
    return [(*tell_apart(a, b), a == b) for a, b in _pair_equal(diff)]


def _pair_equal(diff: Diff) -> list[tuple[str, str]]:
    """Pair equal texts; what else came fills the gaps, then follows."""
    left = list(diff.actual)
    has_come = []
    for text in diff.expected:
        has_come.append(text in left)
        if has_come[-1]:
            left.remove(text)
    rows = [
        (text, text if came else (left.pop(0) if left else ""))
        for text, came in zip(diff.expected, has_come, strict=True)
    ]
    return [*rows, *(("", text) for text in left)]
