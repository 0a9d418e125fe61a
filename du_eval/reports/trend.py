"""How figures developed from run to run: as a table with a plot in text, and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from du_eval.reports.text import number, one_line

Runs = Sequence[Mapping[str, Any]]
_BLOCKS = " ▁▂▃▄▅▆▇█"
_WIDTH, _HEIGHT, _EDGE = 720, 260, 46
_COLOURS = ("#2f5fd0", "#c2342b", "#1a7f4b", "#9a6200", "#7a3fb5")


def trend_text(runs: Runs, figures: Sequence[str]) -> str:
    """Return the runs as a table, the newest last, and a small plot of each figure."""
    heads = ("run", "label", *figures, "steps")
    rows = [heads, *(_row(run, figures) for run in runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return "\n".join([*lines, "", *_plots(runs, figures)]) + "\n"


def _row(run: Mapping[str, Any], figures: Sequence[str]) -> tuple[str, ...]:
    values = (number(run.get("figures", {}).get(name), 3) for name in figures)
    return (str(run.get("run", "")), _label(run), *values, str(sum(run.get("steps", {}).values())))


def _label(run: Mapping[str, Any]) -> str:
    parts = (run.get("label") or run.get("generator"), run.get("model"), run.get("prompt_file"))
    return one_line(" · ".join(str(part) for part in parts if part))


def _plots(runs: Runs, figures: Sequence[str]) -> Iterator[str]:
    width = max(len(name) for name in figures)
    for name in figures:
        values = [run.get("figures", {}).get(name) for run in runs]
        known = [value for value in values if value is not None]
        if known:
            low, high = min(known), max(known)
            bars = "".join(_block(value, low, high) for value in values)
            yield f"{name.ljust(width)}  {number(low, 3)} {bars} {number(high, 3)}"


def _block(value: float | None, low: float, high: float) -> str:
    if value is None:
        return "·"
    share = (value - low) / (high - low) if high > low else 1.0
    return _BLOCKS[1 + round(share * (len(_BLOCKS) - 2))]


def trend_svg(runs: Runs, figures: Sequence[str]) -> str:
    """Return the figures as lines over the runs."""
    box = f"0 0 {_WIDTH} {_HEIGHT + 24 * len(figures)}"
    font = 'font-family="system-ui, sans-serif" font-size="12"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {font}>',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        parts.append(f'<line x1="{_EDGE}" x2="{_WIDTH - 10}" y1="{y}" y2="{y}" stroke="#e3e3df"/>')
        parts.append(f'<text x="{_EDGE - 6}" y="{y + 4}" text-anchor="end" fill="#62666f">{share:g}</text>')
    for index, name in enumerate(figures):
        parts.extend(_line(runs, name, index))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(runs: Runs, name: str, index: int) -> Iterator[str]:
    colour = _COLOURS[index % len(_COLOURS)]
    points = []
    for number_of_run, run in enumerate(runs):
        value = run.get("figures", {}).get(name)
        if value is not None:
            x = _EDGE + (_WIDTH - _EDGE - 20) * (number_of_run / max(1, len(runs) - 1))
            points.append((round(x, 1), _y(value)))
            title = escape(f"{run.get('run', '')} {_label(run)}: {value:.3f}")
            at = f'cx="{x:.1f}" cy="{_y(value)}" r="3.5"'
            yield f'<circle {at} fill="{colour}"><title>{title}</title></circle>'
    path = " ".join(f"{x},{y}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    y = _HEIGHT + 16 + 24 * index
    yield f'<rect x="{_EDGE}" y="{y - 9}" width="18" height="4" fill="{colour}"/>'
    yield f'<text x="{_EDGE + 26}" y="{y}" fill="#1d1f23">{escape(name)}</text>'


def _y(value: float) -> float:
    return round(16 + (_HEIGHT - 40) * (1 - value), 1)
