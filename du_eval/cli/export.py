"""`du-eval export`: a run as a spreadsheet or a table for other tools."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import reporting_errors, say

_FORMS = (".xlsx", ".csv", ".jsonl", ".parquet")


def export(
    run: Annotated[
        str,
        typer.Argument(help="A run: its file (.json), id, start of its id, label, folder, or last."),
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
    raw: Annotated[
        bool,
        typer.Option("--raw", help="In CSV, guard no text that a spreadsheet would take for a formula."),
    ] = False,
    for_spreadsheets: Annotated[bool, typer.Option("--for-spreadsheets", hidden=True)] = False,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Export a run as XLSX, CSV, JSON lines or Parquet.

    Examples:
      du-eval export last -o run.xlsx

      du-eval export run.json -o commands.csv --table commands

      du-eval export .du-eval/runs/20260131-120000-000-abcd -o decisions.csv --table decisions

    """
    from pathlib import Path

    from du_eval.assembly.history import load_any
    from du_eval.errors import InputError
    from du_eval.reports.files import write
    from du_eval.reports.renderers.tables import export_view

    with reporting_errors():
        form = Path(output).suffix.lower()
        if form not in _FORMS:
            raise InputError(f"'{output}' ends with none of {', '.join(_FORMS)}")
        view = load_any(run, runs_dir).view
        write(output, export_view(view, form, table, is_raw=raw and not for_spreadsheets))
        say(f"exported to {output}")
