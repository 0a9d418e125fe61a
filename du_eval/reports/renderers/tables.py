"""Tables as files: CSV, JSON lines, Parquet and Excel workbooks."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from math import isfinite
from typing import Protocol

from du_eval.errors import MissingExtraError
from du_eval.reports.renderers.junit import xml_text
from du_eval.reports.renderers.sheets import Grid, Value
from du_eval.trust.terminal import neutralise

_RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_LONGEST = 32_767
_SHEET_NAME = re.compile(r"[\[\]:*?/\\']")


def write_csv(grid: Grid, *, is_raw: bool = False) -> str:
    """Return a table as CSV; unless raw, nothing in it steers a terminal or is read as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for row in (grid.columns, *grid.rows):
        writer.writerow(row if is_raw else [_guard(cell) for cell in row])
    return out.getvalue()


def _guard(cell: Value) -> Value:
    if not isinstance(cell, str):
        return cell
    return neutralise(f"'{cell}" if cell.lstrip(" ").startswith(_RISKY) else cell)


def write_jsonl(grid: Grid) -> str:
    """Return a table as JSON lines."""
    rows = (dict(zip(grid.columns, map(_keep_finite, row), strict=True)) for row in grid.rows)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _keep_finite(cell: Value) -> Value:
    return None if isinstance(cell, float) and not isfinite(cell) else cell


def write_parquet(grid: Grid) -> bytes:
    """Return a table as Parquet."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    columns = list(zip(*grid.rows, strict=True)) or [()] * len(grid.columns)
    data = {name: _unify(column) for name, column in zip(grid.columns, columns, strict=True)}
    out = io.BytesIO()
    pq.write_table(pa.table(data), out)
    return out.getvalue()


def _unify(column: Sequence[Value]) -> list[Value]:
    """Return a column of one type: numbers beside texts are texts."""
    if not any(isinstance(cell, str) for cell in column):
        return list(column)
    return [None if cell is None else str(cell) for cell in column]


class _Worksheet(Protocol):
    """What is used of a sheet of XlsxWriter, which has no types."""

    def write_number(self, row: int, column: int, value: float) -> object:
        """Write a number."""
        ...

    def write_string(self, row: int, column: int, text: str) -> object:
        """Write a text."""
        ...


def write_workbook(grids: Sequence[Grid]) -> bytes:
    """Return a workbook with a sheet for each grid; nothing in it becomes a formula or a link."""
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
    names: set[str] = set()
    with xlsxwriter.Workbook(out, options) as book:
        bold = book.add_format({"bold": True})
        for grid in grids:
            sheet = book.add_worksheet(_name_sheet(grid.name, names))
            sheet.freeze_panes(1, 0)
            sheet.autofilter(0, 0, max(1, len(grid.rows)), max(0, len(grid.columns) - 1))
            for column, name in enumerate(grid.columns):
                sheet.set_column(column, column, _find_width(grid, column))
                sheet.write_string(0, column, xml_text(name), bold)
            for number, row in enumerate(grid.rows, 1):
                for column, cell in enumerate(row):
                    _write_cell(sheet, number, column, cell)
    return out.getvalue()


def _name_sheet(name: str, known: set[str]) -> str:
    """Return a name that a workbook takes: short, and unlike the others whatever the letter case."""
    short = (_SHEET_NAME.sub("_", xml_text(name)) or "table")[:31]
    number = 2
    unique = short
    while unique.lower() in known:
        unique, number = f"{short[:28]}_{number}", number + 1
    known.add(unique.lower())
    return unique


def _write_cell(sheet: _Worksheet, row: int, column: int, cell: Value) -> None:
    if isinstance(cell, int | float):
        sheet.write_number(row, column, cell)
    elif cell:
        text = xml_text(cell)
        sheet.write_string(row, column, text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _find_width(grid: Grid, column: int) -> int:
    """Return a column width that fits the first rows."""
    texts = [grid.columns[column], *(str(row[column]) for row in grid.rows[:50])]
    return max(8, min(60, max(len(line) for text in texts for line in text.split("\n")) + 2))
