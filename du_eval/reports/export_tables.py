"""Reports of each activity as rows: what a spreadsheet or a data frame wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from du_eval.reports.kinds import Kind

Data = Mapping[str, Any]
Cell = str | int | float | bool | None
Row = dict[str, Cell]
Rows = tuple[str, list[Row]]
"""The name of a table and its rows."""


def rows_of(kind: Kind, data: Data) -> list[Rows]:
    """Return the tables of a report, the most telling one first."""
    return [(name, rows) for name, rows in _READERS[kind](data) if rows]


def _test(data: Data) -> Iterator[Rows]:
    yield "steps", list(_step_rows(data))
    yield "figures", [{"figure": key, "value": value} for key, value in data.get("figures", {}).items()]
    yield "commands", list(_metric_rows("command", data.get("command_metrics", {})))
    yield "flows", list(_metric_rows("flow", data.get("flow_metrics", {})))
    yield "slots", list(_metric_rows("slot", data.get("slot_metrics", {})))
    yield "mistakes", [{"kind": kind, **value} for kind, value in data.get("mistakes", {}).items()]


def _step_rows(data: Data) -> Iterator[Row]:
    for case in data["test_cases"]:
        for step in case["steps"]:
            yield {
                "file": case.get("file", ""),
                "test_case": case["test_case"],
                "step": step.get("step"),
                "line": step.get("line"),
                "sample": step.get("sample", 1),
                "user": step.get("user", ""),
                "outcome": step["outcome"],
                **{
                    key: "\n".join(step.get(key, ()))
                    for key in ("expected", "predicted", "missing", "unexpected")
                },
                "mistakes": "\n".join(mistake["kind"] for mistake in step.get("mistakes", ())),
                "unparsed": "\n".join(step.get("unparsed", ())),
                "error": step.get("error", ""),
                "raw": step.get("raw", ""),
                "latency_seconds": step.get("latency_seconds"),
            }


def _metric_rows(name: str, metrics: Data) -> Iterator[Row]:
    for key, values in metrics.items():
        yield {name: key} | {
            column: value["value"] if isinstance(value, Mapping) else value
            for column, value in values.items()
        }


def _quality(data: Data) -> Iterator[Rows]:
    groups = ("levels", "distances", "variants", "labels")
    tests = data["tests"]
    without = (*groups, "control", "score")
    yield "tests", [{"test": name, **_flat(test, without=without)} for name, test in tests.items()]
    yield "assessments", [_flat(one) for one in data["assessments"]]
    cells = {(name, "control", ""): test["control"] for name, test in tests.items() if test.get("control")}
    for name, test in tests.items():
        cells |= {(name, group, cell): one for group in groups for cell, one in test.get(group, {}).items()}
    yield (
        "cells",
        [
            {"test": name, "group": group, "name": cell, **_flat(one)}
            for (name, group, cell), one in cells.items()
        ],
    )
    yield "report", _single(data)


def _corpus(data: Data) -> Iterator[Rows]:
    yield (
        "metrics",
        [
            {"file": file["file"], "metric": name} | _flat(values)
            for file in data["files"]
            for name, values in file["metrics"].items()
        ],
    )
    yield (
        "not_computed",
        [
            {"file": file["file"], "metric": name, "reason": reason}
            for file in data["files"]
            for name, reason in file.get("not_computed", {}).items()
        ],
    )
    yield "report", _single(data)


def _other(data: Data) -> Iterator[Rows]:
    """Yield a table for each list of mappings, and one for all single values."""
    yield "report", _single(data)
    for key, value in data.items():
        rows = [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []
        if isinstance(value, Mapping):
            rows = [{"name": name, **part} if isinstance(part, Mapping) else {"name": name, "value": part}
                    for name, part in value.items()]  # fmt: skip
        yield key, [{name: _cell(part) for name, part in row.items()} for row in rows]


def _single(data: Data) -> list[Row]:
    return [
        {"name": key, "value": _cell(value)}
        for key, value in data.items()
        if not isinstance(value, list | dict)
    ]


def _flat(values: Data, without: Sequence[str] = ()) -> Row:
    """Return a mapping as cells: an interval becomes two, a mapping one for each of its keys."""
    found: Row = {}
    for key, value in values.items():
        if key in without:
            continue
        if key == "interval":
            low, high = _ends(value)
            found |= {"low": low, "high": high}
        elif isinstance(value, Mapping):
            found |= {f"{key}.{name}": cell for name, cell in _flat(value).items()}
        else:
            found[key] = _cell(value)
    return found


def _ends(interval: Any) -> tuple[Cell, Cell]:
    if isinstance(interval, Mapping):
        return interval.get("low"), interval.get("high")
    low, high = interval or (None, None)
    return low, high


def _cell(value: Any) -> Cell:
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


_READERS: Mapping[Kind, Callable[[Data], Iterator[Rows]]] = {
    Kind.TEST: _test,
    Kind.QUALITY: _quality,
    Kind.CORPUS: _corpus,
    Kind.AGENT: _other,
    Kind.OTHER: _other,
}
