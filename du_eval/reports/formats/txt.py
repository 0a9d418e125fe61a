"""What a terminal shows."""

from __future__ import annotations

from du_eval.reports.renderers.terminal import TerminalStyle, render_terminal
from du_eval.reports.writing import Reported


def report(of: Reported) -> str:
    """Return the report as a terminal shows it, with all that passed."""
    return render_terminal(of.view, TerminalStyle(shows_texts=of.shows_prompts, shows_passed=True))
