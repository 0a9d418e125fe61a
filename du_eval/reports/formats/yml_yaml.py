"""The report with the keys of the official tool."""

from __future__ import annotations

from du_eval.reports.files import yaml_text
from du_eval.reports.official import make_official_report
from du_eval.reports.writing import Reported


def report(of: Reported) -> str:
    """Return the report with the keys of the official tool."""
    return yaml_text(make_official_report(of.run, shows_prompts=of.shows_prompts))
