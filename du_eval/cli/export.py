"""`du-eval export`: a run as a spreadsheet or a table for other tools."""

from __future__ import annotations

from du_eval.cli.edge import reporting_errors, say
from du_eval.cli.generated import with_options
from du_eval.settings.reading import ExportOptions

_FORMS = (".xlsx", ".csv", ".jsonl", ".parquet")


@with_options(ExportOptions)
def export(options: ExportOptions) -> None:
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
        form = Path(options.output_file).suffix.lower()
        if form not in _FORMS:
            raise InputError(f"'{options.output_file}' ends with none of {', '.join(_FORMS)}")
        view = load_any(options.run, options.runs_dir).view
        is_raw = options.raw and not options.for_spreadsheets
        write(options.output_file, export_view(view, form, options.table, is_raw=is_raw))
        say(f"exported to {options.output_file}")
