"""One table as JSON lines."""

from __future__ import annotations

from du_eval.reports.renderers.sheets import choose_grid
from du_eval.reports.renderers.tables import write_jsonl
from du_eval.reports.writing import Reported


def report(of: Reported) -> str:
    """Return a table, the first one unless another is named."""
    return write_jsonl(choose_grid(of.view, of.table))
