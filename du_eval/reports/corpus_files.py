"""Which form a report file of corpus metrics has, by its suffix."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from du_eval.corpus.record import KIND, CorpusReport, record_metrics
from du_eval.reports.corpus_tables import labels, tabulate_numbers
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


def rendered(home: str, report: CorpusReport) -> str | bytes:
    """Return the report in the form that a function makes of it."""
    module, _, function = home.partition(":")
    found: str | bytes = getattr(import_module(f"du_eval.reports.{module}"), function)(report)
    return found


def console_text(form: str, report: CorpusReport) -> str:
    """Return the report as text for the console."""
    return str(rendered(CONSOLE_FORMS[form], report))


def write_report(path: str, report: CorpusReport) -> None:
    """Write the report in the form that the suffix asks for."""
    from du_eval.reports.files import write  # noqa: PLC0415 - it brings YAML, which most runs do without

    write(path, rendered(FORMS[Path(path).suffix], report))


def json_report(report: CorpusReport) -> str:
    """Return the whole run as JSON."""
    return b"".join(encode_run(record_metrics(report), KIND)).decode()


def workbook(report: CorpusReport) -> bytes:
    """Return an XLSX file with one row for each number."""
    about = (
        ("signature", report.signature),
        ("confidence", report.confidence),
        ("baseline", report.baseline or ""),
    )
    return write_workbook([tabulate_numbers(report), Grid("about", ("about", "value"), about)])


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
