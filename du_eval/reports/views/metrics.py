"""The view of corpus metrics: a table of metrics and files, differences to the baseline, what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from du_eval.corpus.record import MetricsExtra, MetricsRun
from du_eval.errors import tell_count
from du_eval.reports.columns import Code, Number, make_columns
from du_eval.reports.sections import Cell, Column, Look, Note, Section, Table, Tone, View
from du_eval.reports.views.generic import list_figures, make_figure_table, make_view

_ARROWS = {"higher": "↑", "lower": "↓"}


def view_metrics(run: MetricsRun) -> View:
    """Return the view of a run of corpus metrics."""
    extra = run.extra
    files = extra.files if extra else ()
    numbers = len({one.name for file in files for one in file.metrics})
    text = f"{numbers} metrics of {tell_count(len(files), 'response file')}"
    missing = sorted({name for file in files for name, _ in file.not_computed})
    headline = f"{text}; {len(missing)} not computed" if missing else text
    return make_view(run, Note(headline, Tone.PLAIN if numbers else Tone.OPEN), _list_sections(run))


def _list_sections(run: MetricsRun) -> Iterator[Section]:
    if run.extra is None:
        return
    if len(run.extra.files) == 1:
        yield from list_figures(run)
    yield _make_table(run.extra)
    yield from _list_differences(run.extra)
    reasons = run.extra.not_computed
    if reasons:
        rows = tuple((", ".join(names), reason) for reason, names in reasons.items())
        yield Table("Not computed", (Column("metrics", Look.CODE), Column("reason")), rows)
    yield from make_figure_table(run)


def _make_table(extra: MetricsExtra) -> Table:
    columns = make_columns(Code("metric"), "better", *(Number(PurePath(f.name).stem) for f in extra.files))
    rows: list[tuple[Cell, ...]] = []
    for name, better in extra.computed.items():
        found = (file.number(name) for file in extra.files)
        rows.append((name, _ARROWS.get(better, ""), *(one.measured if one else None for one in found)))
    return Table("Metrics", columns, tuple(rows))


def _list_differences(extra: MetricsExtra) -> Iterator[Table]:
    """Yield how each file differs from the baseline, where there is one."""
    rows = tuple(
        (PurePath(file.name).stem, one.name,
         f"{one.difference:+.4g} ({one.spread.low:+.3g} to {one.spread.high:+.3g})",
         "" if one.p is None else f"{one.p:.3f}", one.verdict)
        for file in extra.files
        for one in file.metrics
        if one.difference is not None and one.spread is not None
    )  # fmt: skip
    if rows:
        columns = make_columns("file", Code("metric"), "difference", "p", "verdict")
        yield Table(f"Differences to {PurePath(extra.baseline).stem}", columns, rows)
