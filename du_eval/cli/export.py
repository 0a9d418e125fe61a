"""`du-eval export`: a run as a spreadsheet, a table for other tools, or a report in another form."""

from __future__ import annotations

from du_eval.cli.edge import say
from du_eval.cli.generated import with_options
from du_eval.settings.reading import ExportOptions


@with_options(ExportOptions)
def export(options: ExportOptions) -> None:
    """Export a run as tables, or as a report in any format.

    The ending of the file selects the format: .xlsx holds all tables; .csv, .jsonl and .parquet hold one;
    .md, .html and so on are the same reports that -o writes at the end of a run.

    Examples:
      du-eval export last -o run.xlsx

      du-eval export run.json -o commands.csv --table commands

      du-eval export .du-eval/runs/20260131-120000-000-abcd -o decisions.csv --table decisions

      du-eval export last -o summary.md

    """
    from du_eval.assembly.history import load_any
    from du_eval.reports.files import write
    from du_eval.reports.writing import check_endings, render_file

    check_endings([options.output_file])
    loaded = load_any(options.run, options.runs_dir)
    is_raw = options.raw and not options.for_spreadsheets
    content = render_file(options.output_file, loaded.report(options.table, is_raw=is_raw))
    write(options.output_file, content)
    say(f"exported to {options.output_file}")
