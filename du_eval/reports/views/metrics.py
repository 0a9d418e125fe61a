"""The view of corpus metrics: a table of metrics and files, differences to the baseline, what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from du_eval.corpus.record import MetricsExtra, MetricsRun
from du_eval.errors import tell_count
from du_eval.reports.columns import Code, Number, make_columns
from du_eval.reports.sections import Cell, Column, Curve, Look, Note, Point, Section, Table, Tone, View
from du_eval.reports.views.generic import make_view
from du_eval.statistics.paired_means import METHOD

_ARROWS = {"higher": "↑", "lower": "↓"}
_NUMBER = re.compile(r"\d+")


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
    names = _list_names(run.extra)
    yield _make_table(run.extra, names)
    yield from _list_differences(run.extra)
    reasons = run.extra.not_computed
    if reasons:
        rows = tuple((", ".join(names), reason) for reason, names in reasons.items())
        yield Table("Not computed", (Column("metrics", Look.CODE), Column("reason")), rows, is_whole=True)
    if len(run.extra.files) > 1:
        yield from _list_curves(run.extra, names)


def _list_names(extra: MetricsExtra) -> list[str]:
    """Return the shortest names that tell the response files apart."""
    names = [PurePath(file.name).stem for file in extra.files]
    return names if len(set(names)) == len(names) else [file.name for file in extra.files]


def _make_table(extra: MetricsExtra, names: Sequence[str]) -> Table:
    columns = make_columns(Code("metric"), "better", *map(Number, names))
    rows: list[tuple[Cell, ...]] = []
    for name, better in extra.computed.items():
        found = (file.number(name) for file in extra.files)
        rows.append((name, _ARROWS.get(better, ""), *(one.measured if one else None for one in found)))
    return Table("Metrics", columns, tuple(rows), "↑ higher is better, ↓ lower is better", is_whole=True)


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
        level = f"p < {1 - extra.confidence:.2g}, corrected for the number of metrics"
        remark = f"{METHOD}:{extra.confidence:g}, {level}"
        title = f"Differences from {PurePath(extra.baseline).stem}"
        yield Table(title, columns, rows, remark, is_whole=True)


def _list_curves(extra: MetricsExtra, names: Sequence[str]) -> Iterator[Curve]:
    """Yield a picture of each metric; points are joined where the files are steps of one training."""
    steps = find_steps(names)
    places: Sequence[float] = steps or range(len(names))
    for metric in extra.computed:
        found = [
            Point(place, one.measured, name)
            for place, name, file in zip(places, names, extra.files, strict=True)
            if (one := file.number(metric)) is not None and one.measured.value is not None
        ]
        if found:
            series = (("", tuple(sorted(found, key=lambda point: point.x))),)
            title = "step" if steps else "files"
            yield Curve(metric, title, "", series, is_share=False, is_joined=bool(steps), is_minor=True)


def find_steps(names: Sequence[str]) -> list[int]:
    """Return the step that each name gives, if the names differ in one number only; none otherwise."""
    parts = [_NUMBER.split(name) for name in names]
    columns = list(zip(*([int(found) for found in _NUMBER.findall(name)] for name in names), strict=False))
    varying = [column for column in columns if len(set(column)) > 1]
    if any(part != parts[0] for part in parts) or len(varying) != 1:
        return []
    return list(varying[0]) if len(set(varying[0])) == len(names) else []
