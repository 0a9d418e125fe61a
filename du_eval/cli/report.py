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
            help="Reports, ids or folders of kept runs, of any activity. Default: last.", show_default=False
        ),
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="Where the page goes.")] = "report.html",
    alpha: options_compare.Alpha = 0.05,
    margin: options_compare.Margin = 0.02,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Write runs as one HTML page that opens anywhere.

    The page needs no network and no server. It takes command tests, end-to-end tests, quality runs, protocol
    runs, corpus metrics and agent cases, also together. The last run is shown first, with what changed
    against each of the others; one kept run alone is compared with the run before it.

    Examples:
      du-eval report last -o report.html

      du-eval report before.json after.json -o changes.html

      du-eval report last .du-eval/quality/20260131-120000-echo metrics.json -o everything.html

    """
    from du_eval.assembly.reported import load_page, pairs_to_compare, run_before
    from du_eval.reports.files import write
    from du_eval.reports.html import html_report
    from du_eval.runs.comparison import compared
    from du_eval.statistics.verdict import Criteria

    with reporting_errors():
        names = runs or ["last"]
        loaded = [load_page(name, runs_dir) for name in names]
        earlier = run_before(names[0], runs_dir) if len(names) == 1 else None
        pairs = [(earlier, loaded[0])] if earlier else pairs_to_compare(loaded)
        found = [compared(before.record, after.record, Criteria(alpha, margin)) for before, after in pairs]
        if earlier:
            found = [one for one in found if one.overlap.common]
        write(output, html_report([(run.name, run.data) for run in reversed(loaded)], found))
        say(f"page written to {output}")
