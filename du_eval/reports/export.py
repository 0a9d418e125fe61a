"""Reports as tables: CSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from du_eval.errors import InputError, MissingExtraError
from du_eval.reports.saved import is_report

Cell = str | int | float | bool | None
_RISKY = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with named columns."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def tables_of(data: Mapping[str, Any]) -> list[Table]:
    """Return the tables of a report: those of a command test, or the lists of any other activity's report."""
    if not is_report(data):
        return list(_generic(data))
    steps = list(_step_rows(data))
    found = [
        _table("steps", steps),
        _table(
            "figures", [{"figure": key, "value": value} for key, value in data.get("figures", {}).items()]
        ),
        _table("commands", list(_metric_rows("command", data.get("command_metrics", {})))),
        _table("flows", list(_metric_rows("flow", data.get("flow_metrics", {})))),
        _table("slots", list(_metric_rows("slot", data.get("slot_metrics", {})))),
        _table("mistakes", [{"kind": kind, **value} for kind, value in data.get("mistakes", {}).items()]),
    ]
    return [table for table in found if table.rows]


def _step_rows(data: Mapping[str, Any]) -> Iterator[dict[str, Cell]]:
    for case in data["test_cases"]:
        for step in case["steps"]:
            yield {
                "file": case.get("file", ""),
                "test_case": case["test_case"],
                "step": step.get("step"),
                "line": step.get("line"),
                "sample": step.get("sample", 1),
                "user": step.get("user", ""),
                "outcome": step["outcome"],
                **{
                    key: "\n".join(step.get(key, ()))
                    for key in ("expected", "predicted", "missing", "unexpected")
                },
                "mistakes": "\n".join(mistake["kind"] for mistake in step.get("mistakes", ())),
                "unparsed": "\n".join(step.get("unparsed", ())),
                "error": step.get("error", ""),
                "raw": step.get("raw", ""),
                "latency_seconds": step.get("latency_seconds"),
            }


def _metric_rows(name: str, metrics: Mapping[str, Any]) -> Iterator[dict[str, Cell]]:
    for key, values in metrics.items():
        yield {name: key} | {
            column: value["value"] if isinstance(value, Mapping) else value
            for column, value in values.items()
        }


def _generic(data: Mapping[str, Any]) -> Iterator[Table]:
    """Yield a table for each list of mappings, and one for all single values."""
    single = {key: value for key, value in data.items() if not isinstance(value, list | dict)}
    if single:
        yield _table("report", [{"name": key, "value": _cell(value)} for key, value in single.items()])
    for key, value in data.items():
        if key == "line_scores":
            continue
        rows = [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []
        if isinstance(value, Mapping):
            named = ({"name": name, **part} if isinstance(part, Mapping) else {"name": name, "value": part}
                     for name, part in value.items())  # fmt: skip
            rows = list(named)
        if rows:
            yield _table(key, [{name: _cell(part) for name, part in row.items()} for row in rows])


def _cell(value: Any) -> Cell:
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


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
    data = {name: list(column) for name, column in zip(table.columns, columns, strict=True)}
    out = io.BytesIO()
    pq.write_table(pa.table(data), out)
    return out.getvalue()
