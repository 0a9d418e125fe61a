"""The page of a run whose activity writes a report in its own form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from du_eval.cli.edge import say


def write_page(path: str | Path | None, data: Mapping[str, Any], name: str) -> None:
    """Write the page of a run, where one is asked for."""
    if path is None:
        return
    from du_eval.reports.files import write
    from du_eval.reports.html import html_report

    write(path, html_report([(name, data)]))
    say(f"page written to {path}")
