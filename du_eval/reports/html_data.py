"""What the HTML page needs of a run, whatever its activity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from du_eval.reports.export import tables_of
from du_eval.reports.kinds import Kind, kind_of

_PAGES: dict[Kind, Any] = {}


def page_run(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a run for the page."""
    kind = kind_of(data)
    return {"kind": kind.value, **_PAGES.get(kind, _tables_page)(data, name)}


def _tables_page(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a report of an unknown kind: its tables."""
    tables = [{"name": table.name, "columns": table.columns, "rows": table.rows} for table in tables_of(data)]
    about, signature = str(data.get("format", "")), str(data.get("signature", ""))
    return {"title": name, "about": about, "signature": signature, "tables": tables}
