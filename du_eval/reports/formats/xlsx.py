"""An Excel workbook with a sheet for each table."""

from __future__ import annotations

from du_eval.reports.renderers.sheets import choose_grid, list_grids
from du_eval.reports.renderers.tables import write_workbook
from du_eval.reports.writing import Reported


def report(of: Reported) -> bytes:
    """Return a workbook with all tables, or with the one that is named."""
    return write_workbook([choose_grid(of.view, of.table)] if of.table else list_grids(of.view))
