"""Tables of a view as files."""

from __future__ import annotations

import csv
import io
import json

import pytest

from du_eval.errors import InputError
from du_eval.reports.renderers.sheets import Grid, choose_grid, list_grids
from du_eval.reports.renderers.tables import write_csv, write_jsonl, write_parquet, write_workbook
from du_eval.reports.sections import Column, Table
from tests.reports.viewed import make_step, make_view

RISKY = Grid("texts", ("text", "n"), (("=1+1", -2), ("-x", None), ("@ada", 0.5), ("plain", 3)))


def test_all_tables_come_with_what_was_judged_first() -> None:
    grids = {grid.name: grid for grid in list_grids(make_view(make_step(4)))}
    assert list(grids) == [
        "user_steps",
        "figures",
        "commands",
        "rarely_read",
        "confusion",
        "robustness",
        "latency",
    ]
    steps = grids["user_steps"]
    row = dict(zip(steps.columns, steps.rows[0], strict=True))
    assert row["outcome"] == "failed"
    assert row["flow"] == "add_contact"
    commands = grids["commands"]
    assert commands.columns == ("command", "expected", "F1", "F1_low", "F1_high", "F1_n", "F1_method")
    assert commands.rows[0][:6] == ("add_contact", 4, 0.75, 0.41, 0.93, 8)
    assert grids["confusion"].rows == (("Ada", "ada", 3), ("Bob", "Bob", 7))


def test_names_of_tables_are_unique() -> None:
    table = Table("Same name", (Column("a"),), (("x",),))
    assert [grid.name for grid in list_grids(make_view(sections=(table, table)))] == [
        "same_name",
        "same_name_2",
    ]


def test_csv_is_safe_for_spreadsheets_unless_raw() -> None:
    safe = list(csv.reader(io.StringIO(write_csv(RISKY))))
    assert [row[0] for row in safe[1:]] == ["'=1+1", "'-x", "'@ada", "plain"]
    assert [row[1] for row in safe[1:]] == ["-2", "", "0.5", "3"]
    raw = list(csv.reader(io.StringIO(write_csv(RISKY, is_raw=True))))
    assert [row[0] for row in raw[1:]] == ["=1+1", "-x", "@ada", "plain"]


def test_json_lines_hold_a_row_each() -> None:
    rows = [json.loads(line) for line in write_jsonl(RISKY).splitlines()]
    assert rows[1] == {"text": "-x", "n": None}
    assert json.loads(write_jsonl(Grid("t", ("n",), ((float("inf"),),)))) == {"n": None}


def test_parquet_keeps_the_values() -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    table = pq.read_table(io.BytesIO(write_parquet(RISKY)))
    assert table.to_pydict() == {"text": ["=1+1", "-x", "@ada", "plain"], "n": [-2, None, 0.5, 3]}
    mixed = Grid("mixed", ("a",), ((1,), ("x",)))
    assert pq.read_table(io.BytesIO(write_parquet(mixed))).to_pydict() == {"a": ["1", "x"]}


def test_a_workbook_has_a_sheet_for_each_table_and_no_formula() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    long = Table("a very long title of a table / with marks", (Column("=x"),), (("=1+1",), ("\x00",)))
    other = Table("A very long title of a table / with other marks", (Column("b"),), ((2,),))
    book = openpyxl.load_workbook(io.BytesIO(write_workbook(list_grids(make_view(sections=(long, other))))))
    assert book.sheetnames == ["a_very_long_title_of_a_table___", "a_very_long_title_of_a_table_2"]
    first = book.worksheets[0]
    assert [(cell.value, cell.data_type) for (cell,) in first.iter_rows()] == [
        ("=x", "s"),
        ("=1+1", "s"),
        ("�", "s"),
    ]


def test_a_table_is_chosen_by_name() -> None:
    view = make_view(make_step(4))
    assert choose_grid(view, None).name == "user_steps"
    assert choose_grid(view, "commands").name == "commands"
    with pytest.raises(InputError, match="no table 'x'; it has user_steps, figures"):
        choose_grid(view, "x")
    with pytest.raises(InputError, match="no table to export"):
        choose_grid(make_view(sections=()), None)


def test_no_cell_of_a_table_steers_a_terminal() -> None:
    grid = Grid("a", ("name",), (("\x1b[2Jx\x00\u202e\r::error::y",),))
    assert write_csv(grid).splitlines()[1] == "\\u001b[2Jx\\u0000\\u202e\\u000d::error::y"
    assert "\x1b[2Jx" in write_csv(grid, is_raw=True)
