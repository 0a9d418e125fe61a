"""Who writes the file of each ending: the renderers, behind one signature."""

from __future__ import annotations

from du_eval.experiments.deciding import decide_runs
from du_eval.reports.files import yaml_text
from du_eval.reports.official import make_official_report
from du_eval.reports.renderers.junit import render_junit
from du_eval.reports.renderers.markdown import render_markdown
from du_eval.reports.renderers.page import render_page
from du_eval.reports.renderers.tables import write_xlsx
from du_eval.reports.renderers.terminal import TerminalStyle, render_terminal
from du_eval.reports.views.comparison import view_comparison
from du_eval.reports.writing import Reported
from du_eval.runs.comparison import compared
from du_eval.runs.records import reduce_run
from du_eval.runs.report import encode_run


def report_json(of: Reported) -> bytes:
    """Return the whole run."""
    return b"".join(encode_run(of.run, of.kind))


def report_official(of: Reported) -> str:
    """Return the report with the keys of the official tool."""
    return yaml_text(make_official_report(of.run, shows_prompts=of.shows_prompts))


def report_page(of: Reported) -> str:
    """Return the page, with what changed since the run before where the two have steps in common."""
    if of.before is None:
        return render_page([of.view])
    found = compared(reduce_run(of.before, "the run before"), reduce_run(of.run, "this run"))
    if not found.overlap.common:
        return render_page([of.view])
    return render_page([of.view, view_comparison(found, decide_runs(found, of.before, of.run))])


def report_markdown(of: Reported) -> str:
    """Return the report as Markdown."""
    return render_markdown(of.view)


def report_junit(of: Reported) -> str:
    """Return the report as JUnit XML."""
    return render_junit(of.run, of.view)


def report_xlsx(of: Reported) -> bytes:
    """Return the report as a workbook."""
    return write_xlsx(of.view)


def report_text(of: Reported) -> str:
    """Return the report as a terminal shows it, with all that passed."""
    return render_terminal(of.view, TerminalStyle(shows_texts=of.shows_prompts, shows_passed=True))
