"""A line for a terminal with the style it is printed in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_CODES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33}


@dataclass(frozen=True, slots=True)
class Styled:
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
