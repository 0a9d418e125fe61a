"""Columns of a terminal: texts are wrapped between words and arguments, never inside a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from msgspec import Struct
from rich.cells import cell_len

_CODES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33}


class Styled(Struct, frozen=True):
    """A line whose start, or the whole of it, has a style."""

    text: str = ""
    style: str = ""
    """Words such as `bold red`."""
    length: int | None = None
    """How many characters have the style; None: all."""


def print_lines(lines: Iterable[Styled], *, is_coloured: bool) -> str:
    """Return lines as text; only where colours are wanted, with codes for a terminal."""
    return "".join(f"{_colour(line) if is_coloured and line.style else line.text}\n" for line in lines)


def _colour(line: Styled) -> str:
    codes = ";".join(str(_CODES[word]) for word in line.style.split())
    end = len(line.text) if line.length is None else line.length
    return f"\x1b[{codes}m{line.text[:end]}\x1b[0m{line.text[end:]}" if line.text else ""


_GAP = "  "
_NARROWEST = 12
_WORD = re.compile(r"\s*[^\s(]+\(|\s*[^\s(]+|\s*\(|\s+$")
"""Where a text may be cut: before spaces, and after an opening bracket."""
_COMMAND = re.compile(r"\w+\(.*\)$", re.DOTALL)


def wrap_text(text: str, width: int) -> list[str]:
    """Return the lines of a text; a word that is wider than the width stays whole."""
    if cell_len(text) <= width:
        return [text]
    lines: list[str] = []
    line = ""
    for piece in _cut(text, width):
        if line and cell_len(line + piece) > width:
            lines.append(line)
            line = "  " + piece.lstrip()
        else:
            line += piece
    return [*lines, line]


def _cut(text: str, width: int) -> list[str]:
    """Return the pieces of a text: of a command its arguments, cut further only where they are too wide."""
    if not _COMMAND.match(text):
        return _WORD.findall(text)
    arguments = re.split(r"(?<=,)(?= )", text)
    return [
        piece
        for argument in arguments
        for piece in ([argument] if cell_len(argument.strip()) + 2 <= width else _WORD.findall(argument))
    ]


def find_widest_word(text: str) -> int:
    """Return the width below which a text cannot be wrapped."""
    first, *rest = _WORD.findall(text) or [""]
    return min(cell_len(text), max(cell_len(first), *(cell_len(word.strip()) + 2 for word in rest), 0))


def set_side_by_side(rows: Sequence[tuple[str, str]], width: int | None) -> list[list[str]] | None:
    """Return the lines of each row of two columns; None where a name would have to be cut."""
    natural = max((cell_len(left) for left, _ in rows), default=0)
    if width is None:
        return [_join([left], [right], natural) for left, right in rows]
    room = max((find_widest_word(left) for left, _ in rows), default=0)
    column = min(natural, max(room, (width - 3) // 2))
    rest = width - column - 3
    if rest < max((find_widest_word(right) for _, right in rows), default=0):
        column = room
        rest = width - column - 3
    if rest < max((find_widest_word(right) for _, right in rows), default=0):
        return None
    wrapped = [(wrap_text(left, column), wrap_text(right, rest)) for left, right in rows]
    column = max(cell_len(line) for left, _ in wrapped for line in left)
    return [_join(left, right, column) for left, right in wrapped]


def _join(left: list[str], right: list[str], column: int) -> list[str]:
    return [f"{_pad(a, column)} | {b}".rstrip() for a, b in zip_longest(left, right, fillvalue="")]


def _pad(text: str, width: int, *, is_right: bool = False) -> str:
    space = " " * max(0, width - cell_len(text))
    return space + text if is_right else text + space


def set_table(rows: Sequence[Sequence[str]], is_number: Sequence[bool], width: int | None) -> Iterator[str]:
    """Yield the lines of a table, its head first; texts are wrapped where it would be too wide."""
    widths = [max(map(_find_width, column)) for column in zip(*rows, strict=True)]
    if width is not None:
        widths = _narrow(rows, widths, is_number, width)
    for row in rows:
        cells = [
            [cell]
            if is_number[column]
            else [line for own in cell.split("\n") for line in wrap_text(own, widths[column])]
            for column, cell in enumerate(row)
        ]
        for line in zip_longest(*cells, fillvalue=""):
            padded = [
                _pad(text, widths[column], is_right=is_number[column]) for column, text in enumerate(line)
            ]
            yield _GAP.join(padded).rstrip()


def _find_width(cell: str) -> int:
    return max(map(cell_len, cell.split("\n")))


def _narrow(
    rows: Sequence[Sequence[str]], widths: list[int], is_number: Sequence[bool], width: int
) -> list[int]:
    """Return widths that fit, taken from the widest columns of text, as far as their words allow."""
    least = [
        own
        if is_number[column]
        else min(own, max(_NARROWEST, *(find_widest_word(row[column]) for row in rows)))
        for column, own in enumerate(widths)
    ]
    found = list(widths)
    while sum(found) + len(_GAP) * (len(found) - 1) > width:
        column = max(range(len(found)), key=lambda one: found[one] - least[one])
        if found[column] == least[column]:
            break
        found[column] -= 1
    return found
