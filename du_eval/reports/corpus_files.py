"""Which form a report file of corpus metrics has, by its suffix."""

from __future__ import annotations

import io
from importlib import import_module
from pathlib import Path

from du_eval.corpus.detail import KIND
from du_eval.corpus.record import record_metrics
from du_eval.corpus.results import CorpusReport
from du_eval.errors import InputError, Problem
from du_eval.reports.corpus_tables import records
from du_eval.runs.report import encode_run

FORMS = {
    ".txt": "corpus_tables:original_text",
    ".json": "corpus_files:json_report",
    ".csv": "corpus_tables:comma_separated",
    ".xlsx": "corpus_files:workbook",
    ".tex": "corpus_tables:latex",
    ".md": "corpus_tables:markdown",
    ".svg": "corpus_plots:svg",
    ".png": "corpus_plots:png",
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


def check_names(paths: list[str]) -> None:
    """Raise at once, with all of them, where the suffix of a report file says nothing."""
    problems = [
        Problem(path, 0, "no report has this form", f"known suffixes: {', '.join(FORMS)}")
        for path in paths
        if Path(path).suffix not in FORMS
    ]
    if problems:
        raise InputError(problems)


def write_report(path: str, report: CorpusReport) -> None:
    """Write the report in the form that the suffix asks for."""
    from du_eval.reports.files import write  # noqa: PLC0415 - it brings YAML, which most runs do without

    write(path, rendered(FORMS[Path(path).suffix], report))


def json_report(report: CorpusReport) -> str:
    """Return the whole run as JSON."""
    return b"".join(encode_run(record_metrics(report), KIND)).decode()


def workbook(report: CorpusReport) -> bytes:
    """Return an XLSX file with one row for each number; text stays text, whatever it starts with."""
    import xlsxwriter  # noqa: PLC0415 - only workbooks need it

    content = io.BytesIO()
    options = {"strings_to_formulas": False, "strings_to_urls": False, "in_memory": True}
    with xlsxwriter.Workbook(content, options) as book:
        bold = book.add_format({"bold": True})
        sheet = book.add_worksheet("metrics")
        head, rows = records(report)
        sheet.write_row(0, 0, head, bold)
        for place, row in enumerate(rows, start=1):
            sheet.write_row(place, 0, ["" if cell is None else cell for cell in row])
        sheet.freeze_panes(1, 2)
        sheet.autofilter(0, 0, max(1, len(rows)), len(head) - 1)
        sheet.set_column(0, 1, 24)
        about = book.add_worksheet("about")
        lines = (
            ("signature", report.signature),
            ("confidence", report.confidence),
            ("baseline", report.baseline or ""),
        )
        for place, line in enumerate(lines):
            about.write_row(place, 0, line)
    return content.getvalue()
