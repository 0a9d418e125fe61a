"""Which form a report file of corpus metrics has, by its suffix."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from du_eval.corpus.results import CorpusReport
from du_eval.errors import InputError, Problem

FORMS = {
    ".txt": "corpus_tables:original_text",
    ".json": "corpus_data:json_report",
    ".csv": "corpus_tables:comma_separated",
    ".xlsx": "corpus_data:workbook",
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
    "json": "corpus_data:json_report",
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
