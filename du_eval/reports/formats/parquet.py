"""One table as Parquet."""

from __future__ import annotations

from du_eval.reports.renderers.sheets import choose_grid
from du_eval.reports.renderers.tables import write_parquet
from du_eval.reports.writing import Reported


def report(of: Reported) -> bytes:
    """Return a table, the first one unless another is named."""
    return write_parquet(choose_grid(of.view, of.table))
