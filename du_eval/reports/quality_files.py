"""What lies beside a quality run: spreadsheets of the document, plots and conversations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from du_eval.compat.emely_formulas import level_cell, round_to_step
from du_eval.judges.toxic_words import LABELS
from du_eval.quality.aggregate import Cut, aggregate
from du_eval.quality.dialogue import Dialogue
from du_eval.quality.record import QualityRun, ReplyDetail
from du_eval.quality.results import TITLES, Assessment, TestResult
from du_eval.quality.store import as_text, json_lines
from du_eval.reports.files import write
from du_eval.reports.renderers.charts import draw_svg, list_charts
from du_eval.reports.renderers.sheets import Grid, Value, list_grids
from du_eval.reports.renderers.tables import write_workbook
from du_eval.reports.sections import Bars, Curve, Entries, View
from du_eval.reports.views.quality import view_quality
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case


def write_quality(run: QualityRun, folder: Path, shown: Shown) -> list[str]:
    """Write all files of a run and return their names."""
    view = view_quality(run)
    files: dict[str, str | bytes] = {
        "report.xlsx": write_cases_xlsx(run, shown),
        "summary.xlsx": write_summary_xlsx(run, view),
    }
    drawn = list_charts(view)
    for name, kind in (("curves", Curve), ("scores", Bars)):
        charts = [chart for chart in drawn if isinstance(chart, kind)]
        if charts:
            files[f"plots/{name}.svg"] = draw_svg(charts, run.head.subject)
    if run.extra is not None and run.extra.compat:
        for place, case in enumerate(run.cases, 1):
            name = f"distributions/REQ_P2_runID-{place}"
            files[f"{name}.csv"] = write_toxicity_csv(case)
            files[f"{name}v2.csv"] = write_toxicity_csv_v2(case)
    for name, content in files.items():
        write(folder / name, content)
    return list(files)


def write_conversations(dialogues: Sequence[Dialogue], folder: Path, texts: str) -> list[str]:
    """Write conversations as JSON lines, and as text files in a folder of their own; return their names."""
    files = {"conversations.jsonl": json_lines(dialogues)}
    files |= {f"{texts}/conversation_{dialogue.number}.txt": as_text(dialogue) for dialogue in dialogues}
    for name, content in files.items():
        write(folder / name, content)
    return list(files)


_WORDS = {Outcome.PASSED: "Pass", Outcome.FAILED: "Fail"}
NAMES = {
    "ML-U6": "TC_REQ_U6", "ML-U5": "TC_REQ_U5", "ML-U4": "TC_REQ_U4", "ML-U3": "TC_REQ_U3",
    "ML-I13": "TC_REQ_I1", "ML-I7": "TC_REQ_I11", "ML-I6": "TC_REQ_I9", "ML-I5": "TC_REQ_I10",
    "ML-I4": "TC_REQ_I8", "ML-I1": "TC_REQ_I5", "ML-A6": "TC_REQ_A4", "ML-A7": "TC_REQ_A3",
    "ML-I3": "TC_REQ_I3", "ML-I2": "TC_REQ_I2",
}  # fmt: skip
"""What the original calls our tests, in the order of its columns."""
_WITHOUT_DETAILS = ("ML-A7", "ML-I2", "ML-I3")
"""Tests that have one column only in the original."""


class Shown(Struct, frozen=True):
    """Which columns a test gets."""

    interpretations: bool = True
    details: bool = True
    binary: bool = True


class _Column(Struct, frozen=True):
    title: str
    values: Mapping[int, Value]
    summary: str = ""


def write_cases_xlsx(run: QualityRun, shown: Shown) -> bytes:
    """Return a workbook with a sheet for each conversation."""
    columns = _original_columns if _is_original(run) else _columns
    return write_workbook(
        [
            _sheet(f"Run {place}", case, columns(_list_opinions(case), shown))
            for place, case in enumerate(run.cases, 1)
        ]
    )


def _is_original(run: QualityRun) -> bool:
    return run.extra is not None and bool(run.extra.compat)


def _list_opinions(case: Case[ReplyDetail]) -> list[Assessment]:
    return [one for result in case.results for one in result.detail.assessments]


def write_summary_xlsx(run: QualityRun, view: View) -> bytes:
    """Return a workbook with a row for each conversation and their sum, and the tables of the report."""
    found = run.extra.tests if run.extra else ()
    tests = [result.test for result in found]
    names, cell_of = (NAMES, level_cell) if _is_original(run) else ({}, None)
    rows: list[tuple[Value, ...]] = []
    for place, case in enumerate(run.cases, 1):
        results = {result.test: result for result in aggregate(_list_opinions(case), cell_of)}
        rows.append((f"Run {place}", *(_score(results.get(test)) for test in tests)))
    rows.append(("total", *map(_score, found)))
    summary = Grid("summary", ("run", *(names.get(test, test) for test in tests)), tuple(rows))
    tables = replace(view, sections=tuple(one for one in view.sections if not isinstance(one, Entries)))
    return write_workbook([summary, *list_grids(tables)])


def _score(result: TestResult | None) -> str:
    return "" if result is None else str(result.score)


def _sheet(name: str, case: Case[ReplyDetail], tests: Sequence[_Column]) -> Grid:
    replies = list(enumerate(case.results))
    columns = [
        _Column("Prompt", {n: one.detail.prompt for n, one in replies}),
        _Column("Reply", {n: one.detail.reply for n, one in replies}),
        *tests,
        _Column("Outcome", {n: one.detail.became for n, one in replies}),
        _Column("Response times", {n: one.seconds for n, one in replies}),
    ]
    body = [(n, *(column.values.get(n) for column in columns)) for n, _ in replies]
    summary = ("summary", *(column.summary for column in columns))
    return Grid(name, ("", *(column.title for column in columns)), (*body, summary))


def _columns(found: Sequence[Assessment], shown: Shown) -> list[_Column]:
    """Return a block of columns for each test, and within it for each fact or label."""
    blocks: dict[tuple[str, str], list[Assessment]] = defaultdict(list)
    for item in found:
        blocks[item.test, item.label or (str(item.fact) if item.fact is not None else "")].append(item)
    order = {test: place for place, test in enumerate(TITLES)}
    columns: list[_Column] = []
    for test, part in sorted(blocks, key=lambda key: (order.get(key[0], 99), key[0])):
        items, end = blocks[test, part], f" - {part}" if part else ""
        if any(item.level is not None for item in items):
            columns.append(_Column(f"{test} (level){end}", {item.exchange: item.level for item in items}))
        has_details = any(item.value is not None for item in items)
        columns += _block(test, end, items, replace(shown, details=shown.details and has_details))
    return columns


def _original_columns(found: Sequence[Assessment], shown: Shown) -> list[_Column]:
    """Return the columns of the original: one block a test in its order, then the seven kinds of toxicity."""
    columns: list[_Column] = []
    for test, name in NAMES.items():
        items = [item for item in found if item.test == test]
        if any(item.nominal is not None for item in items):
            values = {item.exchange: _tell_level(item) for item in items}
            columns.append(_Column(f"Values used for {name}", values))
        chosen = replace(shown, details=shown.details and test not in _WITHOUT_DETAILS)
        for fact in sorted({item.fact for item in items}, key=lambda number: number or 0):
            of_fact = [item for item in items if item.fact == fact]
            columns += _block(name, "" if fact is None else f" - {fact}", of_fact, chosen, level_cell)
    plain = replace(shown, interpretations=False)
    for chosen in (replace(plain, details=False), replace(plain, binary=False)):
        for label in LABELS:
            if items := [item for item in found if (item.test, item.label) == ("ML-P1", label)]:
                columns += _block(label, "", items, chosen, level_cell)
    known = {*NAMES, "ML-P1"}
    return columns + _columns([item for item in found if item.test not in known], shown)


def _block(
    name: str, end: str, items: Sequence[Assessment], shown: Shown, cut: Cut | None = None
) -> list[_Column]:
    """Return the columns of a test, or of one of its facts or labels, which stands at the end of titles."""
    columns: list[_Column] = []
    if shown.binary:
        summary = next((str(result.score) for result in aggregate(_unlabelled(items), cut)), "")
        verdicts = {item.exchange: _WORDS.get(item.verdict, "–") for item in items}
        columns.append(_Column(f"{name}{end}", verdicts, summary))
    if shown.details:
        columns.append(_Column(f"{name} (detailed){end}", {item.exchange: item.value for item in items}))
    if shown.interpretations and any(item.interpretation for item in items):
        said = {item.exchange: item.interpretation for item in items}
        columns.append(_Column(f"{name} (interpret){end}", said))
    return columns


def _unlabelled(items: Sequence[Assessment]) -> list[Assessment]:
    return [replace(item, label="") for item in items]


def _tell_level(item: Assessment) -> str:
    """Return the level of a question as the original writes it."""
    if item.nominal is None:
        return ""
    if item.test == "ML-U4":
        return f"{item.nominal:g}"
    if item.test == "ML-U3":
        typos = int(item.nominal)
        return f"{round_to_step(round(item.nominal - typos, 2))}:{typos}"
    return str(round_to_step(item.nominal))


def write_toxicity_csv(case: Case[ReplyDetail]) -> str:
    """Return the seven scores of each reply of a conversation, a line a score, as the document does."""
    rows = _list_toxicity(case)
    lines = [",".join([label, *(text for row in rows for text in _shown(row, (label,)))]) for label in LABELS]
    return "\n".join(lines) + "\n"


def write_toxicity_csv_v2(case: Case[ReplyDetail]) -> str:
    """Return the same turned over: a line a reply."""
    rows = _list_toxicity(case)
    lines = [",".join(LABELS), *(",".join(_shown(row, LABELS)) for row in rows)]
    return "\n".join(lines) + "\n"


def _list_toxicity(case: Case[ReplyDetail]) -> list[dict[str, float]]:
    """Return the scores by label of each reply of a conversation that has any."""
    rows = (
        {
            one.label: one.value
            for one in result.detail.assessments
            if one.test == "ML-P1" and one.label and one.value is not None
        }
        for result in case.results
    )
    return [row for row in rows if row]


def _shown(row: dict[str, float], labels: Sequence[str]) -> list[str]:
    return [f"{round(row[label], 5)}" if label in row else "" for label in labels]
