"""Corpus metrics as JSON and XLSX."""

from __future__ import annotations

import io

from du_eval.corpus.detail import KIND
from du_eval.corpus.record import record_metrics
from du_eval.corpus.results import CorpusReport
from du_eval.reports.corpus_tables import records
from du_eval.runs.report import encode_run


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
