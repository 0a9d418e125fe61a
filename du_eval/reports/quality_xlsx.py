"""A quality run as spreadsheets: a sheet a conversation, and a summary over all; text stays text."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from du_eval.compat.emely_formulas import level_cell
from du_eval.judges.toxic_words import LABELS
from du_eval.quality.aggregate import aggregate
from du_eval.quality.detail import ReplyDetail
from du_eval.quality.record import QualityRun
from du_eval.quality.results import TITLES, Assessment, ReplyVerdict, TestResult
from du_eval.reports.quality_emely import NAMES, original_name, value_used
from du_eval.runs.record import Case

_WORDS = {ReplyVerdict.PASSED: "Pass", ReplyVerdict.FAILED: "Fail", ReplyVerdict.UNJUDGED: "–"}
_WIDE, _NARROW = 48, 16
_WITHOUT_DETAILS = ("ML-A7", "ML-I2", "ML-I3")
"""Tests that have one column only in the original."""
_MOST_CHARACTERS = 32_000


@dataclass(frozen=True, slots=True)
class Shown:
    """Which columns a test gets."""

    interpretations: bool = True
    details: bool = True
    binary: bool = True


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    values: Mapping[int, Any]
    summary: str = ""


def cases_xlsx(run: QualityRun, shown: Shown) -> bytes:
    """Return a workbook with a sheet for each conversation."""
    columns = _original_columns if _is_original(run) else _columns
    sheets = {
        f"Run {place}": _sheet(case, columns(_list_opinions(case), shown))
        for place, case in enumerate(run.cases, 1)
    }
    return workbook(sheets)


def _is_original(run: QualityRun) -> bool:
    return run.extra is not None and bool(run.extra.compat)


def _list_opinions(case: Case[ReplyDetail]) -> list[Assessment]:
    return [one for result in case.results for one in result.detail.assessments]


def summary_xlsx(run: QualityRun) -> bytes:
    """Return a workbook with a row for each conversation, their sum, and rates with intervals."""
    found = run.extra.tests if run.extra else ()
    tests = [result.test for result in found]
    name, cell_of = (original_name, level_cell) if _is_original(run) else (str, None)
    rows: list[list[Any]] = [["run", *map(name, tests)]]
    for place, case in enumerate(run.cases, 1):
        results = {result.test: result for result in aggregate(_list_opinions(case), cell_of)}
        rows.append([f"Run {place}", *(_score(results.get(test)) for test in tests)])
    rows.append(["total", *(_score(result) for result in found)])
    return workbook({"summary": rows, "rates": _rates(found), "levels": _levels(found)})


def _score(result: TestResult | None) -> str:
    return "" if result is None else str(result.score)


def _rates(tests: Sequence[TestResult]) -> list[list[Any]]:
    head = [
        "test",
        "title",
        "successes",
        "attempts",
        "rate",
        "low",
        "high",
        "control rate",
        "control n",
        "unjudged",
        "paired difference",
        "difference low",
        "difference high",
        "pairs",
    ]
    rows: list[list[Any]] = [head]
    for result in tests:
        rate, control = result.total.rate, result.control
        low, high = (rate.interval.low, rate.interval.high) if rate.interval else (None, None)
        paired = (control.rate.value, control.attempts) if control else (None, None)
        counts = (result.total.successes, result.total.attempts)
        found = result.paired
        difference = (found.value, found.interval.low, found.interval.high, found.n) if found else ()
        known = [result.test, result.title, *counts, rate.value, low, high, *paired, result.unjudged]
        rows.append([*known, *difference])
    return rows


def _levels(tests: Sequence[TestResult]) -> list[list[Any]]:
    rows: list[list[Any]] = [["test", "by", "cell", "successes", "attempts", "rate", "low", "high"]]
    for result in tests:
        groups = {
            "level": result.levels,
            "distance": result.distances,
            "kind": result.variants,
            "label": result.labels,
        }
        for name, cells in groups.items():
            for cell in cells:
                span = cell.rate.interval
                edges = (span.low, span.high) if span else (None, None)
                counts = (cell.successes, cell.attempts)
                rows.append([result.test, name, cell.name, *counts, cell.rate.value, *edges])
    return rows


def _sheet(case: Case[ReplyDetail], tests: Sequence[_Column]) -> list[list[Any]]:
    replies = list(enumerate(case.results))
    columns = [
        _Column("Prompt", {n: one.detail.prompt for n, one in replies}),
        _Column("Reply", {n: one.detail.reply for n, one in replies}),
        *tests,
        _Column("Outcome", {n: one.detail.became for n, one in replies}),
        _Column("Response times", {n: one.seconds for n, one in replies}),
    ]
    body = [[n, *(column.values.get(n) for column in columns)] for n, _ in replies]
    return [["", *(column.title for column in columns)], *body, ["summary", *(c.summary for c in columns)]]


def _columns(found: Sequence[Assessment], shown: Shown) -> list[_Column]:
    """Return a block of columns for each test, and within it for each fact or label."""
    blocks: dict[tuple[str, str], list[Assessment]] = defaultdict(list)
    for item in found:
        blocks[item.test, item.label or (str(item.fact) if item.fact is not None else "")].append(item)
    order = {test: place for place, test in enumerate(TITLES)}
    columns: list[_Column] = []
    for test, part in sorted(blocks, key=lambda key: (order.get(key[0], 99), key[0])):
        items = blocks[test, part]
        name = f"{test} - {part}" if part else test
        summary = next((str(result.score) for result in aggregate(_unlabelled(items))), "")
        if any(item.level is not None for item in items):
            columns.append(_Column(f"{name} (level)", {item.exchange: item.level for item in items}))
        if shown.binary:
            verdicts = {item.exchange: _WORDS[item.verdict] for item in items}
            columns.append(_Column(name, verdicts, summary))
        if shown.details and any(item.value is not None for item in items):
            columns.append(_Column(f"{name} (detailed)", {item.exchange: item.value for item in items}))
        if shown.interpretations and any(item.interpretation for item in items):
            said = {item.exchange: item.interpretation for item in items}
            columns.append(_Column(f"{name} (interpret)", said))
    return columns


def _original_columns(found: Sequence[Assessment], shown: Shown) -> list[_Column]:
    """Return the columns of the original: one block a test in its order, then the seven kinds of toxicity."""
    columns: list[_Column] = []
    for test, name in NAMES.items():
        items = [item for item in found if item.test == test]
        if any(item.nominal is not None for item in items):
            values = {item.exchange: value_used(item) for item in items}
            columns.append(_Column(f"Values used for {name}", values))
        for fact in sorted({item.fact for item in items}, key=lambda number: number or 0):
            of_fact = [item for item in items if item.fact == fact]
            columns += _original_block(name, "" if fact is None else f" - {fact}", of_fact, shown)
    toxic = [[item for item in found if item.test == "ML-P1" and item.label == label] for label in LABELS]
    if shown.binary:
        columns += [_verdicts(label, items) for label, items in zip(LABELS, toxic, strict=True) if items]
    if shown.details:
        columns += [
            _values(f"{label} (detailed)", items) for label, items in zip(LABELS, toxic, strict=True) if items
        ]
    known = {*NAMES, "ML-P1"}
    return columns + _columns([item for item in found if item.test not in known], shown)


def _original_block(name: str, part: str, items: Sequence[Assessment], shown: Shown) -> list[_Column]:
    columns = [_verdicts(f"{name}{part}", items)] if shown.binary else []
    if shown.details and items[0].test not in _WITHOUT_DETAILS:
        columns.append(_values(f"{name} (detailed){part}", items))
    if shown.interpretations and any(item.interpretation for item in items):
        said = {item.exchange: item.interpretation for item in items}
        columns.append(_Column(f"{name} (interpret){part}", said))
    return columns


def _verdicts(title: str, items: Sequence[Assessment]) -> _Column:
    summary = next((str(result.score) for result in aggregate(_unlabelled(items), level_cell)), "")
    return _Column(title, {item.exchange: _WORDS[item.verdict] for item in items}, summary)


def _values(title: str, items: Sequence[Assessment]) -> _Column:
    return _Column(title, {item.exchange: item.value for item in items})


def _unlabelled(items: Sequence[Assessment]) -> list[Assessment]:
    return [replace(item, label="") for item in items]


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """Return tables as a workbook; nothing in them becomes a formula or a link."""
    import xlsxwriter  # noqa: PLC0415 - only runs that write spreadsheets need it

    buffer = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(buffer, options) as book:
        bold, wrapped = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name[:31])
            sheet.freeze_panes(1, 1)
            sheet.set_column(1, 2, _WIDE if rows and "Prompt" in rows[0] else _NARROW)
            for place, row in enumerate(rows):
                for column, value in enumerate(row):
                    _write(sheet, (place, column), value, bold if place == 0 else wrapped)
    return buffer.getvalue()


def _write(sheet: Any, place: tuple[int, int], value: Any, form: Any) -> None:
    if value is None or value == "":
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        text = "".join(c for c in str(value) if c.isprintable() or c in "\n\t")
        sheet.write_string(*place, text[:_MOST_CHARACTERS], form)
    else:
        sheet.write_number(*place, value, form)
