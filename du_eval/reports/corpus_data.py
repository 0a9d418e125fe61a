"""Corpus metrics as plain data, for JSON and XLSX."""

from __future__ import annotations

import io
import json
from math import isfinite
from typing import Any

from du_eval.corpus.results import CorpusReport, FileResult, MetricResult
from du_eval.reports.corpus_tables import records


def as_data(report: CorpusReport) -> dict[str, Any]:
    """Return everything that the report knows, in plain values."""
    return {
        "signature": report.signature,
        "mode": str(report.mode),
        "confidence": report.confidence,
        "baseline": report.baseline,
        "files": [_file(file, report) for file in report.files],
        "notes": list(report.notes),
        "references": report.references,
    }


def json_report(report: CorpusReport) -> str:
    """Return the report as JSON, with the scores of lines as compact as they can be."""
    text = json.dumps(as_data(report), ensure_ascii=False, indent=2)
    scores = json.dumps(line_scores(report), ensure_ascii=False, separators=(",", ":"))
    return f'{text[:-2]},\n  "line_scores": {scores}\n}}\n'


def line_scores(report: CorpusReport) -> dict[str, dict[str, list[float | None]]]:
    """Return the scores of single lines by file and metric; a line without a score has None."""
    return {
        file.name: {
            result.column.name: [
                float(f"{value:.9g}") if isfinite(value) else None for value in lines.tolist()
            ]
            for result in file.results
            if (lines := result.lines) is not None
        }
        for file in report.files
    }


def _file(file: FileResult, report: CorpusReport) -> dict[str, Any]:
    return {
        "file": file.name,
        "lines": file.lines,
        "metrics": {result.column.name: _result(result, report) for result in file.results},
        "not_computed": {missing.name: missing.reason for missing in file.not_computed},
        **_grouping(file),
    }


def _grouping(file: FileResult) -> dict[str, Any]:
    if not file.grouping.sizes:
        return {}
    return {"conversation_sizes": list(file.grouping.sizes), "references": file.grouping.references}


def _result(result: MetricResult, report: CorpusReport) -> dict[str, Any]:
    found, apart = result.measurement.interval, result.difference
    data: dict[str, Any] = {
        "value": result.measurement.value,
        "n": result.measurement.n,
        "interval": [found.low, found.high] if found else None,
        "deviation": result.deviation,
        "half_width": result.half_width,
        "better": str(result.column.better),
        "signature": result.measurement.signature,
    }
    if apart is not None:
        data["difference"] = {
            "value": apart.value,
            "interval": [apart.interval.low, apart.interval.high],
            "p": apart.p,
            "verdict": result.verdict(report.confidence) or "no significant difference",
        }
    return data


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
