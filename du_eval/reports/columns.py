"""The columns of tables in short: what is only named holds text."""

from __future__ import annotations

from functools import partial

from du_eval.reports.sections import Column, Look

Code = partial(Column, look=Look.CODE)
Number = partial(Column, look=Look.NUMBER)
Share = partial(Column, look=Look.SHARE)
OutcomeColumn = partial(Column, look=Look.OUTCOME)


def make_columns(*columns: str | Column) -> tuple[Column, ...]:
    """Return the columns of a table."""
    return tuple(Column(one) if isinstance(one, str) else one for one in columns)
