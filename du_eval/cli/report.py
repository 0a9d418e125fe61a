"""`du-eval report`: runs as a page for people."""

from __future__ import annotations

from pathlib import PurePath

from du_eval.cli.edge import say
from du_eval.cli.generated import with_options
from du_eval.settings.reading import ReportOptions

_PAGES = {"", ".html", ".htm"}


@with_options(ReportOptions)
def report(options: ReportOptions) -> None:
    """Write runs as one self-contained HTML page, or one run in another format.

    The page needs no network and no server. It takes command tests, end-to-end tests, quality runs, protocol
    runs, corpus metrics and agent cases, in any combination. The last run is shown first, compared with
    each of the others; a single kept run is compared with the run before it.

    Examples:
      du-eval report last -o report.html

      du-eval report before.json after.json -o changes.html

      du-eval report last 20260131-120000 metrics.json -o everything.html

      du-eval report last -o summary.md

    """
    from du_eval.assembly.experiment_files import find_experiment, view_kept
    from du_eval.assembly.finding import find_last, pair_runs
    from du_eval.assembly.history import load_any
    from du_eval.errors import InputError
    from du_eval.experiments.deciding import decide_runs
    from du_eval.reports.files import write
    from du_eval.reports.renderers.page import render_page
    from du_eval.reports.views.comparison import view_comparison
    from du_eval.reports.writing import render_file
    from du_eval.runs.comparison import compare_runs
    from du_eval.runs.records import reduce_run
    from du_eval.statistics.verdict import Criteria

    names = options.runs or ["last"]
    if PurePath(options.output_file).suffix.lower() not in _PAGES:
        if len(names) > 1:
            raise InputError(f"{options.output_file}: only a page (.html) holds several runs")
        reported = load_any(names[0], options.runs_dir).report()
        write(options.output_file, render_file(options.output_file, reported))
        say(f"report written to {options.output_file}")
        return
    experiments = {name: folder for name in names if (folder := find_experiment(name, options.runs_dir))}
    loaded = [load_any(name, options.runs_dir) for name in names if name not in experiments]
    found = [one.whole for one in loaded]
    only = found[0].head if len(found) == 1 else None
    before = find_last(only.kind, options.runs_dir, only.id) if only and only.id else None
    pairs = [(before, found[0])] if before else pair_runs(found)
    criteria = Criteria(options.alpha, options.margin)
    changes = [
        (compare_runs(reduce_run(one), reduce_run(other), criteria), one, other) for one, other in pairs
    ]
    shown = [
        view_comparison(change, decide_runs(change, one, other))
        for change, one, other in changes
        if change.overlap.common or not before
    ]
    views = [*map(view_kept, experiments.values()), *(one.view for one in reversed(loaded)), *shown]
    write(options.output_file, render_page(views))
    say(f"page written to {options.output_file}")
