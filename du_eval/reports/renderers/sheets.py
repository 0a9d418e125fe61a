"""A view as plain tables: what spreadsheets, data frames and other renderers want."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from du_eval.errors import InputError
from du_eval.reports.arm_sections import Agreement, ArmMatrix, ArmReply, Trades
from du_eval.reports.columns import Code, Number, make_columns
from du_eval.reports.numbers import MARKS, name_method
from du_eval.reports.sections import (
    Bars,
    Cell,
    Column,
    Curve,
    Entries,
    Figures,
    Look,
    Matrix,
    Section,
    Table,
    View,
)
from du_eval.runs.outcome import Outcome
from du_eval.statistics.intervals import Measurement

Value = str | int | float | None


class Grid(Struct, frozen=True):
    """Rows of plain values under named columns."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


def list_grids(view: View) -> list[Grid]:
    """Return the tables of a view, what was judged first; names are unique."""
    first = [section for section in view.sections if isinstance(section, Entries)]
    rest = [section for section in view.sections if not isinstance(section, Entries)]
    found: list[Grid] = []
    for section in (*first, *rest):
        for grid in _make_grids(section):
            if grid.rows:
                names = {one.name for one in found}
                found.append(Grid(_make_unique(grid.name, names), grid.columns, grid.rows))
    return found


def choose_grid(view: View, name: str | None) -> Grid:
    """Return the table of a name, or the first one."""
    grids = list_grids(view)
    if not grids:
        raise InputError("the run has no table to export")
    for grid in grids:
        if name is None or grid.name == name:
            return grid
    raise InputError(f"the run has no table '{name}'; it has {', '.join(grid.name for grid in grids)}")


def _make_unique(name: str, known: set[str]) -> str:
    number = 2
    unique = name
    while unique in known:
        unique, number = f"{name}_{number}", number + 1
    return unique


def _make_grids(section: Section) -> Iterator[Grid]:
    if isinstance(section, Entries):
        yield _make_entry_grid(section)
    elif isinstance(section, Figures):
        yield _make_figure_grid(section)
    elif isinstance(section, Table):
        yield flatten_table(section)
    elif isinstance(section, Matrix):
        yield flatten_table(tabulate_matrix(section))
    elif isinstance(section, Curve) and not section.is_minor:
        yield flatten_table(tabulate_curve(section))
    elif isinstance(section, Bars):
        yield flatten_table(tabulate_bars(section))
    elif isinstance(section, ArmMatrix):
        yield flatten_table(tabulate_arms(section))
    elif isinstance(section, Trades):
        yield flatten_table(tabulate_trades(section))


def _make_name(title: str) -> str:
    return title.strip().lower().replace(" ", "_") or "table"


def _make_entry_grid(section: Entries) -> Grid:
    names = tuple(dict.fromkeys(name for entry in section.entries for name, _ in entry.facets))
    own = ("id", "outcome", "place", "case", "title", "expected", "actual", "message")
    facets = tuple(name for name in names if name not in own)
    rows = []
    for entry in section.entries:
        values = {name: "\n".join(v for key, v in entry.facets if key == name) for name in facets}
        outcome = str(entry.outcome) if entry.outcome else None
        rows.append(
            (
                entry.id,
                outcome,
                entry.place,
                entry.case,
                entry.title,
                entry.expected,
                entry.actual,
                entry.message,
                *(values[name] for name in facets),
            )
        )
    return Grid(_make_name(section.unit or section.title), (*own, *facets), tuple(rows))


def _make_figure_grid(section: Figures) -> Grid:
    columns = ("figure", "title", "value", "low", "high", "n", "unit", "better", "method")
    rows = tuple(
        (one.name, one.title, *_spread(one.measured)[:-1], one.unit, str(one.better), name_method(one))
        for one in section.figures
    )
    return Grid(_make_name(section.title or "figures"), columns, rows)


def _spread(measured: Measurement) -> tuple[Value, Value, Value, Value, Value]:
    interval = measured.interval
    low, high = (interval.low, interval.high) if interval else (None, None)
    return measured.value, low, high, measured.n, measured.method if interval else None


def flatten_table(table: Table) -> Grid:
    """Return a table with a column for each part of its measurements."""
    is_measured = [
        any(isinstance(cell, Measurement) for cell in cells) for cells in zip(*table.rows, strict=True)
    ]
    names: list[str] = []
    for column, measured in zip(table.columns, is_measured, strict=False):
        names.append(column.name)
        names += [f"{column.name}_{part}" for part in ("low", "high", "n", "method")] if measured else []
    rows = tuple(
        tuple(
            value
            for cell, wide in zip(row, is_measured, strict=True)
            for value in _flatten(cell, is_wide=wide)
        )
        for row in table.rows
    )
    return Grid(_make_name(table.title), tuple(names), rows)


def _flatten(cell: Cell, *, is_wide: bool) -> tuple[Value, ...]:
    if isinstance(cell, Measurement):
        return _spread(cell)
    plain = str(cell) if isinstance(cell, Outcome) else cell
    return (plain, None, None, None, None) if is_wide else (plain,)


def tabulate_matrix(matrix: Matrix) -> Table:
    """Return the pairs of a matrix that occur."""
    columns = make_columns(Code(matrix.row_title), Code(matrix.column_title), Number("count"))
    rows = tuple(
        (row, column, count)
        for row, counts in zip(matrix.rows, matrix.counts, strict=True)
        for column, count in zip(matrix.columns, counts, strict=True)
        if count
    )
    return Table(matrix.title, columns, rows)


def tabulate_curve(curve: Curve) -> Table:
    """Return the points of a curve."""
    look = Look.SHARE if curve.is_share else Look.NUMBER
    columns = make_columns("series", Number(curve.x_title), "label", Column(curve.y_title, look))
    labelled = any(point.label for _, points in curve.series for point in points)
    rows = tuple(
        (name, point.x, point.label, point.measured) for name, points in curve.series for point in points
    )
    if labelled:
        return Table(curve.title, columns, rows)
    without = tuple((name, x, measured) for name, x, _, measured in rows)
    return Table(curve.title, (*columns[:2], columns[3]), without)


def tabulate_bars(bars: Bars) -> Table:
    """Return the bars with their counts."""
    columns = make_columns(Column(bars.unit or "value"), Number("count"))
    return Table(bars.title, columns, tuple(zip(bars.labels, bars.counts, strict=True)), bars.remark)


def tabulate(section: Section) -> Table | None:
    """Return the table that stands for a picture where there are only letters; None for what is none."""
    if isinstance(section, Curve | Bars) and section.is_minor:
        return None
    if isinstance(section, Curve):
        return _shorten_curve(tabulate_curve(section))
    if isinstance(section, Bars):
        return tabulate_bars(section)
    if isinstance(section, ArmMatrix):
        return tabulate_arms(section, only_different=True)
    return tabulate_trades(section) if isinstance(section, Trades) else None


def _shorten_curve(table: Table) -> Table:
    """Return the points for readers: labels instead of positions, and series only where there are several."""
    kept = list(range(len(table.columns)))
    if len({row[0] for row in table.rows}) < 2:
        kept.remove(0)
    titles = list(table.columns)
    if len(table.columns) == 4 and all(row[2] for row in table.rows):
        kept.remove(1)
        titles[2] = Column(table.columns[1].name)
    rows = tuple(tuple(row[at] for at in kept) for row in table.rows)
    return replace(table, columns=tuple(titles[at] for at in kept), rows=rows)


def tabulate_arms(matrix: ArmMatrix, *, only_different: bool = False) -> Table:
    """Return a row for each step, or for those about which arms disagree, with a mark for each arm."""
    agreed = {Agreement.ALL_RIGHT, Agreement.ALL_WRONG} if only_different else set()
    columns = make_columns(Code("where"), "message", Code("expected"), *matrix.arms)
    rows = tuple(
        (row.place, row.title, row.expected, *map(_mark, row.cells))
        for row in matrix.rows
        if row.agreement not in agreed
    )
    return Table(matrix.title, columns, rows)


def _mark(replies: tuple[ArmReply, ...]) -> str:
    """Return a mark, with how many samples are right where there are several."""
    total = sum(one.count for one in replies)
    if total < 2:
        return MARKS[replies[0].outcome or Outcome.PASSED] if replies else ""
    return f"{sum(one.count for one in replies if one.outcome is Outcome.PASSED)}/{total}"


def tabulate_trades(trades: Trades) -> Table:
    """Return what was drawn, best trades first."""
    look = Look.SHARE if trades.is_share else Look.NUMBER
    columns = make_columns("arm", Number(trades.x_title), Column(trades.y_title, look), "not beaten")
    ranked = sorted(trades.trades, key=lambda one: not one.is_best)
    return Table(
        trades.title, columns, tuple((one.name, one.x, one.y, "yes" if one.is_best else "") for one in ranked)
    )
