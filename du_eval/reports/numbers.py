"""Numbers as people read them, the same in every renderer."""

from __future__ import annotations

from math import isfinite

from du_eval.conversation import Speaker, Turn
from du_eval.reports.sections import Cell, Look
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Interval, Measurement

UNDEFINED = "–"
MARKS = {Outcome.PASSED: "✓", Outcome.FAILED: "✗", Outcome.UNDECIDED: "?", Outcome.ERRORED: "!"}
_SECONDS = {"seconds", "s"}


def show_number(value: float | None, digits: int | None = None) -> str:
    """Return a number with some places after the point, or with four significant ones; a dash for None."""
    if value is None or not isfinite(value):
        return UNDEFINED
    if digits is not None:
        return f"{value:.{digits}f}"
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        return f"{value:.0f}"
    if 1e-3 <= abs(value) < 1e6:
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return f"{value:.3e}"


def show_seconds(value: float) -> str:
    """Return a duration in the unit that reads best."""
    if 0 < abs(value) < 1e-4:
        return f"{value * 1000:.2g} ms"
    if abs(value) < 1:
        return f"{value * 1000:.1f} ms" if abs(value) < 0.1 else f"{value * 1000:.0f} ms"
    return f"{value:.2f} s" if abs(value) < 120 else f"{value / 60:.1f} min"


def show_quantity(value: float | None, unit: str) -> str:
    """Return a number in its unit; shares have three places."""
    if value is None or not isfinite(value):
        return UNDEFINED
    if unit == "share":
        return f"{value:.3f}"
    if unit in _SECONDS:
        return show_seconds(value)
    shown = show_number(value)
    return f"{shown} {unit.removesuffix('s') if shown == '1' else unit}".rstrip()


def show_measurement(measured: Measurement, unit: str = "share", *, with_n: bool = True) -> str:
    """Return a number with its interval and its n."""
    parts = []
    if measured.interval is not None and measured.value is not None and isfinite(measured.value):
        parts.append(_show_interval(measured.interval, unit))
    if with_n:
        parts.append(f"n={measured.n}")
    if measured.bounds is not None and measured.bounds.matter:
        parts.append(str(measured.bounds))
    value = _show_value(measured.value, unit)
    return f"{value} ({', '.join(parts)})" if parts else value


def _show_interval(interval: Interval, unit: str) -> str:
    """Return both ends of an interval, with their unit once where it is the same."""
    low, high = _show_value(interval.low, unit), _show_value(interval.high, unit)
    number, _, own = low.partition(" ")
    if own and high.partition(" ")[2].removesuffix("s") == own.removesuffix("s"):
        low = number
    return f"{low}{'–' if interval.low >= 0 else ' to '}{high}"


def _show_value(value: float | None, unit: str) -> str:
    return show_number(value, 2) if unit == "share" else show_quantity(value, unit)


def show_figure(figure: Figure) -> str:
    """Return the value of a figure with its interval, its n, and a word where less is better."""
    told = ", lower is better" if figure.better is Direction.LOWER else ""
    return show_measurement(figure.measured, figure.unit) + told


def name_figure(figure: Figure) -> str:
    """Return how people call a figure."""
    return figure.title or figure.name.replace("_", " ")


def name_method(figure: Figure) -> str:
    """Return how a figure was measured, and how its interval was computed."""
    own, interval = figure.method or figure.measured.signature, figure.measured.method
    return own if interval in own else "|".join(filter(None, (own, interval)))


def show_cell(cell: Cell, look: Look = Look.TEXT, *, with_n: bool = True) -> str:
    """Return a cell of a table as text."""
    if cell is None:
        return UNDEFINED
    if isinstance(cell, Outcome):
        return str(cell)
    if isinstance(cell, Measurement):
        return show_measurement(cell, "" if look is Look.NUMBER else "share", with_n=with_n)
    if isinstance(cell, str):
        return cell
    return show_number(cell, 2 if look is Look.SHARE else None)


def show_turn(turn: Turn) -> str:
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
