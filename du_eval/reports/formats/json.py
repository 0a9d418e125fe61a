"""The whole run, as every command reads it."""

from __future__ import annotations

from du_eval.reports.writing import Reported
from du_eval.runs.report import encode_run


def report(of: Reported) -> bytes:
    """Return the whole run."""
    return b"".join(encode_run(of.run, of.kind))
