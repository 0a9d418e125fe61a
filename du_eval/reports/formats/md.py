"""Markdown, for a pull request, a chat or the summary of a build."""

from __future__ import annotations

from du_eval.reports.renderers.markdown import render_markdown
from du_eval.reports.writing import Reported


def report(of: Reported) -> str:
    """Return the report as Markdown."""
    return render_markdown(of.view)
