"""Reports as an Excel workbook, in which text stays text."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

from du_eval.reports.export import Table
from du_eval.reports.export_tables import Cell
from du_eval.reports.renderers.junit import xml_text

_LONGEST = 32_767
_NAME = re.compile(r"[\[\]:*?/\\']")


def xlsx_bytes(tables: Sequence[Table]) -> bytes:
    """Return a workbook with a sheet for each table; nothing in it becomes a formula or a link."""
    import xlsxwriter  # noqa: PLC0415 - only exports need it

    out = io.BytesIO()
    options = {
        "constant_memory": True,
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "nan_inf_to_errors": True,
    }
    with xlsxwriter.Workbook(out, options) as book:
        bold = book.add_format({"bold": True})
        for table in tables:
            _add(book, table, bold)
    return out.getvalue()


def _add(book: Any, table: Table, bold: Any) -> None:
    sheet = book.add_worksheet(_NAME.sub("_", table.name)[:31])
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(1, len(table.rows)), max(0, len(table.columns) - 1))
    for column, name in enumerate(table.columns):
        sheet.set_column(column, column, _width(table, column))
        sheet.write_string(0, column, name, bold)
    for number, row in enumerate(table.rows, 1):
        for column, cell in enumerate(row):
            _write(sheet, number, column, cell)


def _write(sheet: Any, row: int, column: int, cell: Cell) -> None:
    if cell is None or cell == "":
        return
    if isinstance(cell, bool):
        sheet.write_boolean(row, column, cell)
    elif isinstance(cell, int | float):
        sheet.write_number(row, column, cell)
    else:
        text = xml_text(cell)
        sheet.write_string(row, column, text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _width(table: Table, column: int) -> int:
    """Return a column width that fits the first rows."""
    texts = [table.columns[column], *(str(row[column]) for row in table.rows[:50])]
    return max(8, min(60, max(len(line) for text in texts for line in text.split("\n")) + 2))
