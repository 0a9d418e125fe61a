"""How good a judge is, as text, as data and as curves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from du_eval.quality.calibrate import FOUND, Calibration, ThresholdPoint
from du_eval.reports.text import measured, number

_MOST_MISTAKES = 10
_SIZE, _EDGE = 300, 40
_OTHER_WORDS = frozenset({"1", "true", "yes", "passed", "similar"})


def calibration_text(found: Calibration) -> str:
    """Return the numbers, and the first mistakes."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Calibration) -> Iterator[str]:
    yield f"{found.judge} on {found.n} labelled {found.kind} items"
    yield f"agreement: {measured(found.accuracy, 3)}, kappa {number(found.kappa)}"
    if found.used is not None and found.best is not None:
        span = f" (95 % of resamples: {found.best_interval})" if found.best_interval else ""
        yield f"to be found: {' or '.join(sorted(FOUND[found.kind] - _OTHER_WORDS))}"
        if found.held_out is not None:
            yield f"chosen on {found.n - found.held_out.n} of them:"
        yield f"threshold in use: {_point(found.used)}"
        yield f"best threshold:   {_point(found.best)}{span}"
        yield f"area under the ROC curve: {number(found.area, 3)}"
    if found.held_out is not None:
        part = found.held_out
        yield f"held out ({part.n} items): agreement {measured(part.accuracy, 3)}, kappa {number(part.kappa)}"
        yield f"                  {_point(part.point)}, area {number(part.area, 3)}"
    if found.mistakes:
        yield f"mistakes: {len(found.mistakes)}"
        yield from (f"  {mistake}" for mistake in found.mistakes[:_MOST_MISTAKES])


def _point(point: ThresholdPoint) -> str:
    rates = f"precision {number(point.precision)}  recall {point.recall:.2f}  F1 {point.f1:.2f}"
    return f"{point.threshold:.3f}  {rates}"


def calibration_data(found: Calibration) -> dict[str, Any]:
    """Return everything as plain data."""
    return asdict(found)


def roc_svg(found: Calibration) -> str:
    """Return the ROC curve and the precision-recall curve side by side."""
    roc = [(1.0, 1.0), *((point.false_alarms, point.recall) for point in found.points), (0.0, 0.0)]
    recall = [(point.recall, point.precision) for point in found.points if point.precision is not None]
    left = _panel("ROC: wrong ones passed / right ones passed", roc, 0)
    right = _panel("recall / precision", recall, _SIZE)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * _SIZE}" height="{_SIZE}" '
        f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
        f"{left}{right}</svg>\n"
    )


def _panel(title: str, points: list[tuple[float, float]], shift: int) -> str:
    room = _SIZE - 2 * _EDGE
    line = " ".join(f"{shift + _EDGE + x * room:.1f},{_SIZE - _EDGE - y * room:.1f}" for x, y in points)
    return (
        f'<rect x="{shift + _EDGE}" y="{_EDGE}" width="{room}" height="{room}" fill="none" stroke="#999"/>'
        f'<text x="{shift + _SIZE / 2}" y="24" text-anchor="middle">{title}</text>'
        f'<text x="{shift + _EDGE}" y="{_SIZE - 20}">0</text>'
        f'<text x="{shift + _SIZE - _EDGE}" y="{_SIZE - 20}" text-anchor="end">1</text>'
        f'<polyline points="{line}" fill="none" stroke="#3366aa" stroke-width="2"/>'
    )
