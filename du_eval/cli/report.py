"""`du-eval report`: runs as a page for people."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import reporting_errors, say


def report(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Reports (.json), ids or folders of kept runs. Default: last.", show_default=False
        ),
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="Where the page goes.")] = "report.html",
    alpha: options_compare.Alpha = 0.05,
    margin: options_compare.Margin = 0.02,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Write runs as one HTML page that opens anywhere.

    The page needs no network and no server. With several runs it shows the last one first, with what changed
    against each of the others.

    Examples:
      du-eval report last -o report.html

      du-eval report before.json after.json -o changes.html

    """
    from du_eval.assembly.loading import load_shown
    from du_eval.evaluation.comparison import compared
    from du_eval.reports.files import write
    from du_eval.reports.html import html_report
    from du_eval.statistics.verdict import Criteria

    with reporting_errors():
        loaded = [load_shown(name, runs_dir) for name in runs or ["last"]]
        newest = loaded[-1]
        criteria = Criteria(alpha, margin)
        pairs = [(run, newest) for run in loaded[:-1] if run.is_comparable and newest.is_comparable]
        found = [compared(before.record, after.record, criteria) for before, after in pairs]
        write(output, html_report([(run.name, run.data) for run in reversed(loaded)], found))
        say(f"page written to {output}")
