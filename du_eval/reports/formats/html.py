"""The page, with what changed since the run before."""

from __future__ import annotations

from du_eval.experiments.deciding import decide_runs
from du_eval.reports.renderers.page import render_page
from du_eval.reports.views.comparison import view_comparison
from du_eval.reports.writing import Reported
from du_eval.runs.comparison import compared
from du_eval.runs.records import reduce_run


def report(of: Reported) -> str:
    """Return the page, with what changed since the run before where the two have steps in common."""
    if of.before is None:
        return render_page([of.view])
    found = compared(reduce_run(of.before, "the run before"), reduce_run(of.run, "this run"))
    if not found.overlap.common:
        return render_page([of.view])
    return render_page([of.view, view_comparison(found, decide_runs(found, of.before, of.run))])
