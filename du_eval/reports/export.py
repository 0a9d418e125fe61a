"""Reports as tables: CSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from du_eval.errors import InputError, MissingExtraError
from du_eval.reports.export_tables import Cell, rows_of
from du_eval.reports.kinds import kind_of

_RISKY = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with named columns."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def tables_of(data: Mapping[str, Any]) -> list[Table]:
    """Return the tables of a report of any activity, the most telling one first."""
    return [_table(name, rows) for name, rows in rows_of(kind_of(data), data)]


def _table(name: str, rows: Sequence[Mapping[str, Cell]]) -> Table:
    columns = tuple(dict.fromkeys(column for row in rows for column in row))
    return Table(name, columns, tuple(tuple(row.get(column) for column in columns) for row in rows))


def chosen_table(tables: Sequence[Table], name: str | None) -> Table:
    """Return the table of a name, or the first one."""
    if not tables:
        raise InputError("the report has no table to export")
    for table in tables:
        if name is None or table.name == name:
            return table
    raise InputError(f"the report has no table '{name}'; it has {', '.join(table.name for table in tables)}")


def csv_text(table: Table, *, for_spreadsheets: bool = False) -> str:
    """Return a table as CSV; for spreadsheets, an apostrophe keeps texts from being read as formulas."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_guarded(cell) for cell in row] if for_spreadsheets else row)
    return out.getvalue()


def _guarded(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_RISKY) else cell


def jsonl_text(table: Table) -> str:
    """Return a table as JSON lines."""
    return "".join(
        json.dumps(dict(zip(table.columns, row, strict=True)), ensure_ascii=False) + "\n"
        for row in table.rows
    )


def parquet_bytes(table: Table) -> bytes:
    """Return a table as Parquet."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    data = {name: _of_one_kind(column) for name, column in zip(table.columns, columns, strict=True)}
    out = io.BytesIO()
    pq.write_table(pa.table(data), out)
    return out.getvalue()


def _of_one_kind(column: Sequence[Cell]) -> list[Cell]:
    """Return a column in which numbers stand beside texts as texts: a column has one type there."""
    kinds = {bool if isinstance(cell, bool) else str if isinstance(cell, str) else float for cell in column
             if cell is not None}  # fmt: skip
    if len(kinds) <= 1:
        return list(column)
    return [None if cell is None else str(cell) for cell in column]
