"""Corpus metrics as pictures: bars with intervals, or curves over training steps, one panel a metric."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from du_eval.corpus.results import CorpusReport
from du_eval.errors import MissingExtraError
from du_eval.reports.corpus_tables import labels, number

_COLUMNS = 4
_WIDTH, _HEIGHT = 260, 190
_LEFT, _TOP, _RIGHT, _BOTTOM = 52, 34, 12, 44
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
    'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10">'
)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Point:
    """One file in one panel."""

    place: float
    label: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric: a point for each file that has a value, and the range to show."""

    title: str
    points: tuple[Point, ...]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figure:
    """All panels; a curve if the files are steps of one training."""

    panels: tuple[Panel, ...]
    is_curve: bool


def steps_of(names: Sequence[str]) -> list[int] | None:
    """Return the step that each name gives, if the names differ in one number only."""
    if len(names) < 2:
        return None
    parts = [_NUMBER.split(name) for name in names]
    numbers = [[int(found) for found in _NUMBER.findall(name)] for name in names]
    if any(part != parts[0] for part in parts) or not numbers[0]:
        return None
    varying = [place for place in range(len(numbers[0])) if len({row[place] for row in numbers}) > 1]
    if len(varying) != 1:
        return None
    found = [row[varying[0]] for row in numbers]
    return found if len(set(found)) == len(found) else None


def figure(report: CorpusReport) -> Figure:
    """Return what to draw."""
    names = labels(report)
    steps = steps_of([Path(name).stem for name in names])
    places: Sequence[float] = steps if steps is not None else range(len(names))
    panels = []
    for column in report.computed:
        points = []
        for place, name, file in zip(places, names, report.files, strict=True):
            result = file.result(column.name)
            if result is None or result.measurement.value is None:
                continue
            value, found = result.measurement.value, result.measurement.interval
            points.append(
                Point(place, name, value, found.low if found else value, found.high if found else value)
            )
        points.sort(key=lambda point: point.place)
        panels.append(Panel(column.name, tuple(points), *_range(points, is_curve=steps is not None)))
    return Figure(tuple(panels), steps is not None)


def _range(points: Sequence[Point], *, is_curve: bool) -> tuple[float, float]:
    """Return the range to show: around the intervals for curves, with 0 for bars."""
    edges = [edge for point in points for edge in (point.low, point.high)] or [0.0]
    low, high = (min(edges), max(edges)) if is_curve else (min(0.0, *edges), max(0.0, *edges))
    return (low, high) if high > low else (low, low + 1)


def svg(report: CorpusReport) -> str:
    """Return the picture as SVG, without any library."""
    drawn = figure(report)
    rows = -(-len(drawn.panels) // _COLUMNS) or 1
    width, height = _WIDTH * min(_COLUMNS, max(1, len(drawn.panels))), _HEIGHT * rows + 24
    parts = [
        _SVG.format(width=width, height=height),
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for place, panel in enumerate(drawn.panels):
        x, y = _WIDTH * (place % _COLUMNS), _HEIGHT * (place // _COLUMNS)
        parts.append(f'<g transform="translate({x},{y})">{_panel(panel, is_curve=drawn.is_curve)}</g>')
    parts.append(f'<text x="8" y="{height - 8}" fill="#666">{escape(_caption(report))}</text></svg>')
    return "\n".join(parts) + "\n"


def _caption(report: CorpusReport) -> str:
    return f"whiskers: {report.confidence:.0%} intervals; {report.signature}"


def _panel(panel: Panel, *, is_curve: bool) -> str:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT

    def y(value: float) -> float:
        return bottom - (value - panel.low) / (panel.high - panel.low) * (bottom - _TOP)

    parts = [f'<text x="{_LEFT}" y="18" font-size="12" font-weight="bold">{escape(panel.title)}</text>']
    levels = (panel.low, (panel.low + panel.high) / 2, panel.high)
    parts += [_grid(value, y(value), right) for value in levels]
    xs = _xs(panel, right, is_curve=is_curve)
    if is_curve:
        line = " ".join(f"{x:.1f},{y(point.value):.1f}" for x, point in zip(xs, panel.points, strict=True))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{_COLOURS[0]}" stroke-width="1.5"/>')
    for place, (x, point) in enumerate(zip(xs, panel.points, strict=True)):
        if is_curve:
            parts.append(_dot(x, y(point.value), point))
        else:
            parts.append(_bar(x, (y(0.0), y(point.value)), point, _COLOURS[place % len(_COLOURS)]))
        parts.append(_whisker(x, y(point.low), y(point.high)))
    return "".join([*parts, _labels(xs, bottom + 14, panel, is_curve=is_curve)])


def _grid(value: float, y: float, right: float) -> str:
    line = f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
    return f'{line}<text x="{_LEFT - 4}" y="{y + 3:.1f}" text-anchor="end">{number(value)}</text>'


def _xs(panel: Panel, right: float, *, is_curve: bool) -> list[float]:
    """Return where the points stand: at their steps for a curve, else evenly."""
    room, count = right - _LEFT, len(panel.points)
    if not is_curve:
        return [_LEFT + room * (place + 0.5) / count for place in range(count)]
    first, last = (panel.points[0].place, panel.points[-1].place) if panel.points else (0, 1)
    span = (last - first) or 1
    return [_LEFT + 8 + (room - 16) * (point.place - first) / span for point in panel.points]


def _dot(x: float, y: float, point: Point) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{_COLOURS[0]}">{_title(point)}</circle>'


def _bar(x: float, ys: tuple[float, float], point: Point, colour: str) -> str:
    place = f'x="{x - 9:.1f}" y="{min(ys):.1f}" width="18" height="{abs(ys[0] - ys[1]):.1f}"'
    return f'<rect {place} fill="{colour}">{_title(point)}</rect>'


def _title(point: Point) -> str:
    return f"<title>{escape(point.label)}: {number(point.value)}</title>"


def _whisker(x: float, low: float, high: float) -> str:
    if abs(low - high) < 0.5:
        return ""
    path = f"M{x - 3:.1f} {low:.1f}h6M{x:.1f} {low:.1f}V{high:.1f}M{x - 3:.1f} {high:.1f}h6"
    return f'<path d="{path}" stroke="#222" fill="none"/>'


def _labels(xs: Sequence[float], y: float, panel: Panel, *, is_curve: bool) -> str:
    """Return the names under the bars, or the first and the last step under a curve."""
    if is_curve:
        ends = ((xs[0], panel.points[0], "start"), (xs[-1], panel.points[-1], "end")) if panel.points else ()
        return "".join(_text(x, y, f"step {point.place:g}", anchor) for x, point, anchor in ends)
    longest = max(4, 34 // max(1, len(panel.points)))
    names = [Path(point.label).stem for point in panel.points]
    shown = [name if len(name) <= longest else f"{name[: longest - 1]}…" for name in names]
    return "".join(_text(x, y, name, "middle") for x, name in zip(xs, shown, strict=True))


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def png(report: CorpusReport) -> bytes:
    """Return the picture as PNG, drawn by matplotlib."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra

        mpl.use("agg")
        import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots") from error
    drawn = figure(report)
    rows = -(-len(drawn.panels) // _COLUMNS) or 1
    columns = min(_COLUMNS, max(1, len(drawn.panels)))
    canvas, axes = plt.subplots(rows, columns, figsize=(3.4 * columns, 2.5 * rows), squeeze=False)
    for place, axis in enumerate(axes.flat):
        if place < len(drawn.panels):
            _draw(axis, drawn.panels[place], is_curve=drawn.is_curve)
        else:
            axis.axis("off")
    canvas.text(0.005, 0.003, _caption(report), fontsize=6, color="#666666")
    canvas.tight_layout(rect=(0, 0.02, 1, 1))
    content = io.BytesIO()
    canvas.savefig(content, format="png", dpi=110)
    plt.close(canvas)
    return content.getvalue()


def _draw(axis: Any, panel: Panel, *, is_curve: bool) -> None:
    values = [point.value for point in panel.points]
    spread = [[p.value - p.low for p in panel.points], [p.high - p.value for p in panel.points]]
    places = [point.place if is_curve else float(place) for place, point in enumerate(panel.points)]
    axis.set_title(panel.title, fontsize=9)
    axis.tick_params(labelsize=7)
    if is_curve:
        axis.errorbar(places, values, yerr=spread, marker="o", markersize=3, capsize=2, color=_COLOURS[0])
        axis.set_xlabel("step", fontsize=7)
        return
    colours = [_COLOURS[place % len(_COLOURS)] for place in range(len(values))]
    axis.bar(places, values, yerr=spread, capsize=3, color=colours)
    names = [Path(point.label).stem for point in panel.points]
    axis.set_xticks(places, [name[:12] for name in names], rotation=20 if len(names) > 2 else 0)
