"""Corpus metrics as pictures, one panel a metric: a point for each file, or a curve over training steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from du_eval.corpus.results import CorpusReport
from du_eval.reports.corpus_tables import labels
from du_eval.reports.renderers.charts import draw_png, draw_svg
from du_eval.reports.sections import Curve, Point

_NUMBER = re.compile(r"\d+")


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


def list_panels(report: CorpusReport) -> list[Curve]:
    """Return what to draw; points are joined where the files are steps of one training."""
    names = [Path(name).stem for name in labels(report)]
    steps = steps_of(names)
    places: Sequence[float] = steps if steps is not None else range(len(names))
    panels = []
    for column in report.computed:
        found = [
            Point(place, result.measurement, name)
            for place, name, file in zip(places, names, report.files, strict=True)
            if (result := file.result(column.name)) is not None and result.measurement.value is not None
        ]
        if found:
            found.sort(key=lambda point: point.x)
            x_title = "files" if steps is None else "step"
            series = (("", tuple(found)),)
            panels.append(
                Curve(column.name, x_title, "", series, is_share=False, is_joined=steps is not None)
            )
    return panels


def svg(report: CorpusReport) -> str:
    """Return the picture as SVG, without any library."""
    return draw_svg(list_panels(report), _caption(report))


def png(report: CorpusReport) -> bytes:
    """Return the picture as PNG, drawn by matplotlib."""
    return draw_png(list_panels(report), _caption(report))


def _caption(report: CorpusReport) -> str:
    return f"whiskers: {report.confidence:.0%} intervals; {report.signature}"
