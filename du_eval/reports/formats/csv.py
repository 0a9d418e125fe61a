"""One table as CSV."""

from __future__ import annotations

from du_eval.reports.renderers.sheets import choose_grid
from du_eval.reports.renderers.tables import write_csv
from du_eval.reports.writing import Reported


def report(of: Reported) -> str:
    """Return a table, the first one unless another is named."""
    return write_csv(choose_grid(of.view, of.table), is_raw=of.is_raw)
