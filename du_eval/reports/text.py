"""Small pieces of text that reports share."""

from __future__ import annotations

from collections.abc import Sequence

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


def side_by_side(left: Sequence[str], right: Sequence[str], width: int) -> list[str]:
    """Return two columns with a bar between them; the left one is as wide as its longest line needs."""
    room = max(20, (width - 3) // 2)
    left_lines = [part for line in left for part in _wrapped(line, room)]
    column = max((cell_len(line) for line in left_lines), default=0)
    right_room = max(20, width - column - 3)
    right_lines = [part for line in right for part in _wrapped(line, right_room)]
    count = max(len(left_lines), len(right_lines))
    left_lines += [""] * (count - len(left_lines))
    right_lines += [""] * (count - len(right_lines))
    return [
        f"{a}{' ' * (column - cell_len(a))} | {b}".rstrip()
        for a, b in zip(left_lines, right_lines, strict=True)
    ]


def _wrapped(line: str, width: int) -> list[str]:
    """Cut a line into pieces of at most a width, counting cells of the terminal."""
    pieces, current, used = [], "", 0
    for character in line:
        size = cell_len(character)
        if used + size > width and current:
            pieces.append(current)
            current, used = "  ", 2
        current += character
        used += size
    return [*pieces, current]
