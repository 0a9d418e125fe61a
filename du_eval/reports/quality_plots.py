"""A quality report as pictures: curves over levels and distances, distributions of values."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import Any

from du_eval.quality.results import Cell, QualityReport, TestResult

_WIDTH, _HEIGHT = 460, 300
_LEFT, _TOP, _RIGHT, _BOTTOM = 60, 44, 20, 58
_BLUE, _GREY = "#3366aa", "#666666"
_BINS = 20
_LABEL_ROOM = 27
_X = {
    "ML-U3": "typing mistakes in the question (edits)",
    "ML-U4": "swaps of neighbouring words",
    "ML-U5": "words left out (from so many %)",
    "ML-U6": "words replaced (from so many %)",
}


@dataclass(frozen=True, slots=True)
class Point:
    """A value with its interval; `n` is shown beside it."""

    x: float
    label: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Chart:
    """One picture: a curve with intervals, or bars."""

    name: str
    title: str
    x: str
    y: str
    points: tuple[Point, ...]
    is_curve: bool = True

    @property
    def top(self) -> float:
        """The highest value to show."""
        return 1.0 if self.is_curve else max((point.value for point in self.points), default=1.0) or 1.0


def charts(report: QualityReport) -> list[Chart]:
    """Return what can be drawn of a report."""
    found: list[Chart] = []
    for result in report.tests:
        title = f"{result.test} {result.title}: {report.bot}"
        if result.levels:
            x = _X.get(result.test, "level")
            found.append(Chart(_file(result, "levels"), title, x, "passed", _points(result.levels)))
        if result.distances:
            x = "turns between information and question"
            found.append(Chart(_file(result, "distance"), title, x, "passed", _points(result.distances)))
    for test, x in (("ML-P1", "toxicity (highest label)"), ("ML-A6", "stuttering value")):
        chart = _distribution(report, test, x)
        if chart is not None:
            found.append(chart)
    return found


def _file(result: TestResult, kind: str) -> str:
    return f"{result.test.replace('-', '')}_{kind}"


def _points(cells: Sequence[Cell]) -> tuple[Point, ...]:
    return tuple(
        Point(
            cell.place,
            cell.name.partition("–")[0],
            cell.rate.value or 0.0,
            cell.rate.interval.low if cell.rate.interval else 0.0,
            cell.rate.interval.high if cell.rate.interval else 1.0,
            cell.attempts,
        )
        for cell in cells
        if cell.attempts
    )


def _distribution(report: QualityReport, test: str, x: str) -> Chart | None:
    values = [a.value for a in report.assessments if a.test == test and not a.label and a.value is not None]
    if not values:
        return None
    top = max(1.0, *values)
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(value / top * _BINS))] += 1
    points = tuple(
        Point(n, f"{n * top / _BINS:.2f}", count, count, count, count) for n, count in enumerate(counts)
    )
    title = f"{test}: {report.bot}, {len(values)} replies"
    return Chart(f"{test.replace('-', '')}_distribution", title, x, "replies", points, is_curve=False)


def svg(chart: Chart) -> str:
    """Return a chart as SVG, without any library."""
    size = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(_WIDTH / 2, 20, chart.title, size=13),
        _text(_WIDTH / 2, _HEIGHT - 10, chart.x),
        *_axis(chart),
        *(_curve(chart) if chart.is_curve else _bars(chart)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x: float, y: float, text: str, size: int = 11, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="#222">{escape(text)}</text>'
    )


def _y(chart: Chart, value: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * value / chart.top


def _x(chart: Chart, place: int) -> float:
    """Return where a point lies: curves by their value, bars side by side."""
    room = _WIDTH - _LEFT - _RIGHT
    if not chart.is_curve:
        return _LEFT + room / max(1, len(chart.points)) * (place + 0.5)
    first, last = chart.points[0].x, chart.points[-1].x
    share = (chart.points[place].x - first) / (last - first) if last > first else 0.5
    return _LEFT + room * (0.05 + 0.9 * share)


def _axis(chart: Chart) -> list[str]:
    parts = [_text(14, _TOP - 10, chart.y, anchor="start")]
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = _y(chart, share * chart.top)
        label = f"{share:.2f}" if chart.is_curve else f"{share * chart.top:.0f}"
        parts += [
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>',
            _text(_LEFT - 6, y + 4, label, anchor="end"),
        ]
    for place in _labelled(chart):
        point = chart.points[place]
        parts.append(_text(_x(chart, place), _HEIGHT - _BOTTOM + 15, point.label, size=9))
        if chart.is_curve:
            parts.append(_text(_x(chart, place), _HEIGHT - _BOTTOM + 28, f"n={point.n}", size=8))
    return parts


def _labelled(chart: Chart) -> list[int]:
    """Return the points that get a label: those that have room for it."""
    found: list[int] = []
    for place in range(len(chart.points)):
        if not found or _x(chart, place) - _x(chart, found[-1]) >= _LABEL_ROOM:
            found.append(place)
    return found


def _curve(chart: Chart) -> list[str]:
    places = [(_x(chart, n), _y(chart, point.value)) for n, point in enumerate(chart.points)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline points="{line}" fill="none" stroke="{_BLUE}" stroke-width="2"/>']
    for (x, y), point in zip(places, chart.points, strict=True):
        low, high = _y(chart, point.low), _y(chart, point.high)
        parts += [
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{_GREY}"/>',
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{_BLUE}"/>',
        ]
    return parts


def _bars(chart: Chart) -> list[str]:
    width = (_WIDTH - _LEFT - _RIGHT) / max(1, len(chart.points)) * 0.8
    zero = _y(chart, 0)
    return [
        f'<rect x="{_x(chart, n) - width / 2:.1f}" y="{_y(chart, point.value):.1f}" width="{width:.1f}" '
        f'height="{zero - _y(chart, point.value):.1f}" fill="{_BLUE}"/>'
        for n, point in enumerate(chart.points)
    ]


def png(chart: Chart) -> bytes | None:
    """Return a chart as PNG, where matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return None
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(5.6, 3.6), dpi=120, layout="constrained")
    axes: Any = figure.add_subplot()
    places = [point.x for point in chart.points]
    values = [point.value for point in chart.points]
    if chart.is_curve:
        below = [point.value - point.low for point in chart.points]
        above = [point.high - point.value for point in chart.points]
        axes.errorbar(places, values, yerr=[below, above], fmt="o-", capsize=3, color=_BLUE, ecolor=_GREY)
        axes.set_ylim(-0.03, 1.03)
        labels = [f"{point.label}\nn={point.n}" for point in chart.points]
    else:
        axes.bar(places, values, color=_BLUE)
        labels = [point.label for point in chart.points]
    shown = _labelled(chart)
    axes.set_xticks([places[n] for n in shown], [labels[n] for n in shown], fontsize=8)
    axes.set(title=chart.title, xlabel=chart.x, ylabel=chart.y)
    axes.title.set_fontsize(10)
    axes.grid(axis="y", alpha=0.3)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
