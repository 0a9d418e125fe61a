"""`du-eval export`: a run as a spreadsheet or a table for other tools."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import reporting_errors, say

_FORMS = (".xlsx", ".csv", ".jsonl", ".parquet")


def export(
    run: Annotated[
        str, typer.Argument(help="A report (.json, .yml) of any activity, or the id or folder of a kept run.")
    ] = "last",
    output: Annotated[
        str, typer.Option("-o", "--output", help="The file: .xlsx (all tables), .csv, .jsonl or .parquet.")
    ] = "report.xlsx",
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            help="Which table, e.g. steps, commands, mistakes; the first one for .csv, .jsonl and .parquet.",
            show_default=False,
        ),
    ] = None,
    for_spreadsheets: Annotated[
        bool,
        typer.Option(
            "--for-spreadsheets", help="In CSV, keep texts that begin with = + - @ from being formulas."
        ),
    ] = False,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Export a run as XLSX, CSV, JSON lines or Parquet.

    Examples:
      du-eval export last -o run.xlsx

      du-eval export run.json -o commands.csv --table commands

      du-eval export .du-eval/runs/20260131-120000-000-abcd -o decisions.csv --table decisions

    """
    from pathlib import Path

    from du_eval.assembly.any_run import load_any
    from du_eval.assembly.reported import load_reported
    from du_eval.errors import InputError
    from du_eval.reports.export import chosen_table, csv_text, jsonl_text, parquet_bytes, tables_of
    from du_eval.reports.files import write
    from du_eval.reports.renderers.tables import export_view

    with reporting_errors():
        form = Path(output).suffix.lower()
        if form not in _FORMS:
            raise InputError(f"'{output}' ends with none of {', '.join(_FORMS)}")
        loaded = load_any(run, runs_dir)
        if loaded.run is not None:
            write(output, export_view(loaded.view, form, table, is_raw=not for_spreadsheets))
            say(f"exported to {output}")
            return
        tables = tables_of(load_reported(run, runs_dir).data)
        if form == ".xlsx":
            from du_eval.reports.xlsx import xlsx_bytes

            write(output, xlsx_bytes([chosen_table(tables, table)] if table else tables))
        else:
            one = chosen_table(tables, table)
            if form == ".csv":
                write(output, csv_text(one, for_spreadsheets=for_spreadsheets))
            else:
                write(output, jsonl_text(one) if form == ".jsonl" else parquet_bytes(one))
        say(f"exported to {output}")
