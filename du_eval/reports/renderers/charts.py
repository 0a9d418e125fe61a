"""Curves and bars of a view as pictures: SVG without any library, PNG with matplotlib."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from html import escape
from math import isfinite
from typing import TYPE_CHECKING

from msgspec import Struct

from du_eval.errors import InputError, MissingExtraError
from du_eval.reports.numbers import show_number
from du_eval.reports.sections import Bars, Curve, Point, View
from du_eval.reports.visible import make_visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Chart = Curve | Bars
_COLUMNS = 3
_WIDTH, _HEIGHT = 420, 280
_LEFT, _TOP, _RIGHT, _BOTTOM = 52, 40, 16, 62
_COLOURS = ("#2f5fd0", "#c2580b", "#1a7f4b", "#8a3fb5", "#a0760a", "#c2342b")
_GREY = "#666666"
_LETTER = 0.56
"""How wide a letter is, about, as a share of its size."""
_NAMED, _LINE = 2, 13
"""How many names a line of a legend holds, and how high it is."""


def list_charts(view: View) -> list[Chart]:
    """Return what can be drawn of a view."""
    found = [section for section in view.sections if isinstance(section, Curve | Bars)]
    return [chart for chart in found if (chart.counts if isinstance(chart, Bars) else _list_points(chart))]


def require_charts(view: View) -> list[Chart]:
    """Return what can be drawn of a view; raise where that is nothing."""
    found = list_charts(view)
    if not found:
        raise InputError("the run has no curves or bars to draw")
    return found


def _list_points(curve: Curve) -> list[Point]:
    return [point for _, points in curve.series for point in points if _is_known(point)]


def _is_known(point: Point) -> bool:
    return point.measured.value is not None and isfinite(point.measured.value)


class _Scale(Struct, frozen=True):
    """Where values lie in a picture."""

    x: tuple[float, float]
    y: tuple[float, float]

    def place(self, value: float) -> float:
        """Return the place of a value from left to right."""
        return _LEFT + (value - self.x[0]) / (self.x[1] - self.x[0]) * (_WIDTH - _LEFT - _RIGHT)

    def height(self, value: float) -> float:
        """Return the place of a value from top to bottom; what is out of range lies at its edge."""
        share = (min(self.y[1], max(self.y[0], value)) - self.y[0]) / (self.y[1] - self.y[0])
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP)


def _make_scale(chart: Chart) -> _Scale:
    if isinstance(chart, Bars):
        return _Scale((0, len(chart.counts)), (0, max(*chart.counts, 1)))
    points = _list_points(chart)
    xs = [point.x for point in points]
    room = (max(xs) - min(xs)) * 0.05 or 1.0
    edges = [edge for point in points for edge in _list_edges(point)]
    low, high = (0.0, 1.0) if chart.is_share else (min(edges), max(edges))
    return _Scale((min(xs) - room, max(xs) + room), (low, high if high > low else low + 1))


def _list_edges(point: Point) -> tuple[float, float, float]:
    """Return a value with the ends of its interval; the value itself where it has none."""
    value, interval = point.measured.value or 0.0, point.measured.interval
    low, high = (interval.low, interval.high) if interval else (value, value)
    return value, low if isfinite(low) else value, high if isfinite(high) else value


def draw_svg(charts: Sequence[Chart], caption: str = "") -> str:
    """Return charts as one picture, side by side."""
    columns = min(_COLUMNS, max(1, len(charts)))
    width = _WIDTH * columns
    names = max((len(one.series) for one in charts if isinstance(one, Curve)), default=1)
    panel = _HEIGHT + _LINE * ((names - 1) // _NAMED)
    height = panel * -(-len(charts) // columns) + (24 if caption else 0)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="10">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, chart in enumerate(charts):
        x, y = _WIDTH * (number % columns), panel * (number // columns)
        parts.append(f'<g transform="translate({x},{y})">{"".join(_draw_chart(chart))}</g>')
    if caption:
        parts.append(_write(8, height - 8, caption, anchor="start"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _draw_chart(chart: Chart) -> Iterator[str]:
    scale = _make_scale(chart)
    x_title, y_title = (chart.unit, "count") if isinstance(chart, Bars) else (chart.x_title, chart.y_title)
    yield _write(_WIDTH / 2, 18, _cut(chart.title, _WIDTH - 16, 12), size=12)
    yield _write(8, _TOP - 10, _cut(y_title, _WIDTH - 16), anchor="start")
    yield _write((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 26, x_title)
    for share in (0, 0.25, 0.5, 0.75, 1):
        value = scale.y[0] + share * (scale.y[1] - scale.y[0])
        y = scale.height(value)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        yield _write(_LEFT - 6, y + 4, show_number(value), anchor="end")
    yield from _draw_labels(chart, scale)
    yield from _draw_curve(chart, scale) if isinstance(chart, Curve) else _draw_bars(chart, scale)


def _list_labels(chart: Chart) -> list[tuple[float, str]]:
    if isinstance(chart, Bars):
        return [(at + 0.5, label) for at, label in enumerate(chart.labels)]
    labels = {
        point.x: point.label.partition("\n")[0] or show_number(point.x) for point in _list_points(chart)
    }
    return sorted(labels.items())


def _draw_labels(chart: Chart, scale: _Scale) -> Iterator[str]:
    """Yield the labels that have room, from left to right."""
    free = 0.0
    for place, label in _list_labels(chart):
        x, half = scale.place(place), min(len(label), 16) * 10 * _LETTER / 2
        if x - half >= free and x + half <= _WIDTH:
            yield _write(x, _HEIGHT - _BOTTOM + 14, _cut(label, 90))
            free = x + half + 4


def _draw_curve(curve: Curve, scale: _Scale) -> Iterator[str]:
    for number, (name, points) in enumerate(curve.series):
        colour = _COLOURS[number % len(_COLOURS)]
        known = [point for point in points if _is_known(point)]
        places = [(scale.place(point.x), scale.height(point.measured.value or 0.0)) for point in known]
        if curve.is_joined and len(places) > 1:
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for (x, y), point in zip(places, known, strict=True):
            _, low, high = _list_edges(point)
            ends = f'y1="{scale.height(low):.1f}" y2="{scale.height(high):.1f}"'
            yield f'<line x1="{x:.1f}" x2="{x:.1f}" {ends} stroke="{_GREY}"/>'
            told = (
                f"<title>{escape(make_visible(point.label.replace(chr(10), ' ')))}</title>"
                if point.label
                else ""
            )
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}">{told}</circle>'
        if len(curve.series) > 1:
            room = (_WIDTH - _LEFT) / min(_NAMED, len(curve.series))
            x, y = _LEFT + number % _NAMED * room, _HEIGHT - 16 + number // _NAMED * _LINE
            yield f'<rect x="{x:.1f}" y="{y}" width="8" height="8" fill="{colour}"/>'
            yield _write(x + 12, y + 8, _cut(name, room - 16), anchor="start")


def _draw_bars(bars: Bars, scale: _Scale) -> Iterator[str]:
    width = scale.place(1) - scale.place(0)
    for at, count in enumerate(bars.counts):
        y, zero = scale.height(count), scale.height(0)
        yield (
            f'<rect x="{scale.place(at) + 1:.1f}" y="{y:.1f}" width="{max(1, width - 2):.1f}" '
            f'height="{zero - y:.1f}" fill="{_COLOURS[0]}"/>'
        )


def _cut(text: str, room: float, size: int = 10) -> str:
    """Return as much of a text as has room."""
    most = int(room / (size * _LETTER))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _write(x: float, y: float, text: str, size: int = 10, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="#222">'
        f"{escape(make_visible(text))}</text>"
    )


def draw_png(charts: Sequence[Chart], caption: str = "") -> bytes:
    """Return charts as one picture of pixels; raise where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots") from error
    columns = min(_COLUMNS, max(1, len(charts)))
    rows = -(-len(charts) // columns) or 1
    figure = Figure(figsize=(4.6 * columns, 3.2 * rows), dpi=110, layout="constrained")
    for number, chart in enumerate(charts, 1):
        axes = figure.add_subplot(rows, columns, number)
        axes.set_title(_show_plain(chart.title), fontsize=10)
        axes.grid(axis="y", alpha=0.3)
        if isinstance(chart, Curve):
            _plot_curve(axes, chart)
        else:
            axes.bar(range(len(chart.counts)), chart.counts, color=_COLOURS[0])
            axes.set_xlabel(_show_plain(chart.unit))
            every = range(0, len(chart.labels), -(-len(chart.labels) // 6))
            axes.set_xticks(list(every), [_show_plain(chart.labels[at]) for at in every], fontsize=8)
    if caption:
        figure.supxlabel(_show_plain(caption), fontsize=6, color=_GREY)
    out = io.BytesIO()
    figure.savefig(out, format="png")
    return out.getvalue()


def _plot_curve(axes: Axes, curve: Curve) -> None:
    line = "o-" if curve.is_joined else "o"
    for number, (name, points) in enumerate(curve.series):
        edges = [(point.x, *_list_edges(point)) for point in points if _is_known(point)]
        below = [max(0.0, value - low) for _, value, low, _ in edges]
        above = [max(0.0, high - value) for _, value, _, high in edges]
        xs, values = [x for x, *_ in edges], [value for _, value, _, _ in edges]
        axes.errorbar(
            xs, values, yerr=[below, above], fmt=line, capsize=3,
            color=_COLOURS[number % len(_COLOURS)], ecolor=_GREY, label=_show_plain(name),
        )  # fmt: skip
    axes.set(xlabel=_show_plain(curve.x_title), ylabel=_show_plain(curve.y_title))
    if curve.is_share:
        axes.set_ylim(-0.03, 1.03)
    if any(point.label for point in _list_points(curve)):
        places, labels = zip(*_list_labels(curve), strict=True)
        axes.set_xticks(places, [_show_plain(label) for label in labels], fontsize=8)
    if len(curve.series) > 1:
        axes.legend(fontsize=7)


def _show_plain(text: str) -> str:
    """Return a text that matplotlib does not take for a formula."""
    return make_visible(text).replace("$", r"\$")
