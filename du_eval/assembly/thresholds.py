"""Whether the figures that a gate names can exist, before anybody is asked."""

from __future__ import annotations

from du_eval.assembly import build_parser
from du_eval.evaluation.figures import known_figures, thresholds_of
from du_eval.settings.commands import TestSettings
from du_eval.settings.sources import Settled


def check_fail_under(settled: Settled[TestSettings]) -> None:
    """Raise where `fail_under` names an unknown measure or command, wherever it was set."""
    text = settled.config.fail_under
    if text is None:
        return
    origin = settled.origins["fail_under"]
    shown = "--fail-under" if origin == "flag" else f"{origin}: fail_under"
    commands = [command.name for command in build_parser(settled.config).registry]
    thresholds_of(text, known_figures(commands), shown)
