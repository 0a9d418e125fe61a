"""Small pieces of text that reports share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.cells import cell_len

from du_eval.conversation import Speaker, Turn
from du_eval.statistics.intervals import Measurement

UNDEFINED = "–"


def number(value: float | None, digits: int = 2) -> str:
    """Return a number, or a dash where it is undefined."""
    return UNDEFINED if value is None else f"{value:.{digits}f}"


def measured(measurement: Measurement, digits: int = 2) -> str:
    """Return a number with its interval and its n."""
    if measurement.value is None:
        return f"{UNDEFINED} (n={measurement.n})"
    interval = measurement.interval
    spread = f"{interval.low:.{digits}f}–{interval.high:.{digits}f}, " if interval else ""
    return f"{measurement.value:.{digits}f} ({spread}n={measurement.n})"


def bounded(measurement: Measurement) -> str:
    """Return what a rate could be, whatever became of what was not judged; empty where that is the same."""
    bounds = measurement.bounds
    return f"accuracy is {bounds}" if bounds and bounds.matter else ""


def seconds(value: float) -> str:
    """Return a duration in the unit that reads best."""
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def spoken(turn: Turn) -> str:
    """Return a turn as a line of a conversation."""
    if turn.speaker is Speaker.USER:
        return f"user: {one_line(turn.text)}"
    if turn.text:
        return f"bot: {one_line(turn.text)}"
    return f"utter: {turn.response}"


def one_line(text: str) -> str:
    """Return a text without line breaks and control characters."""
    shown = text.replace("\r\n", "\n").replace("\n", "⏎").replace("\t", " ")
    return "".join(character if character.isprintable() else "�" for character in shown)


def side_by_side(rows: Sequence[tuple[str, str]], width: int) -> list[list[str]]:
    """Return the lines of each row of two columns; the left one is as wide as its longest text needs."""
    room = max(10, (width - 3) // 2)
    left = [_wrapped(text, room) for text, _ in rows]
    column = max((cell_len(line) for lines in left for line in lines), default=0)
    right = [_wrapped(text, max(10, width - column - 3)) for _, text in rows]
    return [
        [
            f"{a}{' ' * (column - cell_len(a))} | {b}".rstrip()
            for a, b in zip_longest(one, other, fillvalue="")
        ]
        for one, other in zip(left, right, strict=True)
    ]


def _wrapped(line: str, width: int) -> list[str]:
    """Cut a line into pieces of at most a width in terminal cells, at blanks where there are any."""
    pieces: list[str] = []
    start, indent = 0, 0
    while (end := _fitting(line, start, width - indent)) < len(line):
        blank = line.rfind(" ", start - indent + (indent + end - start) // 2, end)
        cut = blank if blank > start - indent + 2 else end
        pieces.append(" " * indent + line[start:cut].rstrip())
        start, indent = cut, 2
        while start < len(line) and line[start].isspace():
            start += 1
    return [*pieces, " " * indent + line[start:]]


def _fitting(line: str, start: int, width: int) -> int:
    """Return the position up to which a line fits into a width; it holds at least one character."""
    used = 0
    for position in range(start, len(line)):
        used += cell_len(line[position])
        if used > width:
            return max(position, start + 1)
    return len(line)
