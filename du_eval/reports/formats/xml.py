"""JUnit XML, for build servers."""

from __future__ import annotations

from du_eval.reports.renderers.junit import render_junit
from du_eval.reports.writing import Reported


def report(of: Reported) -> str:
    """Return the report as JUnit XML."""
    return render_junit(of.run, of.view)
