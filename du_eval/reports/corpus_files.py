"""Which form a report file of corpus metrics has, by its suffix."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from du_eval.corpus.record import KIND, MetricsRun
from du_eval.reports.corpus_tables import get_extra, labels, tabulate_numbers
from du_eval.reports.renderers.charts import draw_png, draw_svg
from du_eval.reports.renderers.sheets import Grid
from du_eval.reports.renderers.tables import write_workbook
from du_eval.reports.sections import Curve, Point
from du_eval.runs.report import encode_run

FORMS = {
    ".txt": "corpus_tables:original_text",
    ".json": "corpus_files:json_report",
    ".csv": "corpus_tables:comma_separated",
    ".xlsx": "corpus_files:workbook",
    ".tex": "corpus_tables:latex",
    ".md": "corpus_tables:markdown",
    ".svg": "corpus_files:svg",
    ".png": "corpus_files:png",
}
"""Suffix -> the function that renders it, imported when it is called for."""

CONSOLE_FORMS = {
    "table": "corpus_tables:console",
    "markdown": "corpus_tables:markdown",
    "latex": "corpus_tables:latex",
    "csv": "corpus_tables:comma_separated",
    "json": "corpus_files:json_report",
    "original": "corpus_tables:original_text",
}


def rendered(home: str, run: MetricsRun) -> str | bytes:
    """Return a run in the form that a function makes of it."""
    module, _, function = home.partition(":")
    found: str | bytes = getattr(import_module(f"du_eval.reports.{module}"), function)(run)
    return found


def console_text(form: str, run: MetricsRun) -> str:
    """Return a run as text for the console."""
    return str(rendered(CONSOLE_FORMS[form], run))


def write_report(path: str, run: MetricsRun) -> None:
    """Write a run in the form that the suffix asks for."""
    from du_eval.reports.files import write  # noqa: PLC0415 - it brings YAML, which most runs do without

    write(path, rendered(FORMS[Path(path).suffix], run))


def json_report(run: MetricsRun) -> str:
    """Return the whole run as JSON."""
    return b"".join(encode_run(run, KIND)).decode()


def workbook(run: MetricsRun) -> bytes:
    """Return an XLSX file with one row for each number."""
    about = (
        ("signature", run.head.signature),
        ("confidence", get_extra(run).confidence),
        ("baseline", get_extra(run).baseline),
    )
    return write_workbook([tabulate_numbers(run), Grid("about", ("about", "value"), about)])


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


def list_panels(run: MetricsRun) -> list[Curve]:
    """Return what to draw; points are joined where the files are steps of one training."""
    names = [Path(name).stem for name in labels(run)]
    steps = steps_of(names)
    places: Sequence[float] = steps if steps is not None else range(len(names))
    panels = []
    for metric in get_extra(run).computed:
        found = [
            Point(place, one.measured, name)
            for place, name, file in zip(places, names, get_extra(run).files, strict=True)
            if (one := file.number(metric)) is not None and one.measured.value is not None
        ]
        if found:
            found.sort(key=lambda point: point.x)
            x_title = "files" if steps is None else "step"
            series = (("", tuple(found)),)
            panels.append(Curve(metric, x_title, "", series, is_share=False, is_joined=steps is not None))
    return panels


def svg(run: MetricsRun) -> str:
    """Return the picture as SVG, without any library."""
    return draw_svg(list_panels(run), _caption(run))


def png(run: MetricsRun) -> bytes:
    """Return the picture as PNG, drawn by matplotlib."""
    return draw_png(list_panels(run), _caption(run))


def _caption(run: MetricsRun) -> str:
    return f"whiskers: {get_extra(run).confidence:.0%} intervals; {run.head.signature}"
