"""Corpus metrics as tables of text: console, Markdown, LaTeX, CSV, and the original tool's `metrics.txt`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from du_eval.corpus.metric import Better
from du_eval.corpus.record import CorpusReport, FileResult, MetricResult
from du_eval.reports.renderers.sheets import Grid, Value
from du_eval.reports.renderers.tables import write_csv

MARKS = {"better": "▲", "worse": "▼", "different": "◆", "": ""}
_LATEX_MARKS = {
    "better": r"$^{\uparrow}$",
    "worse": r"$^{\downarrow}$",
    "different": r"$^{\diamond}$",
    "": "",
}
_LATEX_SIGNS = {
    "↑": r"$\uparrow$", "↓": r"$\downarrow$", "": "", "±": r"$\pm$", "p <": "$p <$",
    "▲": _LATEX_MARKS["better"], "▼": _LATEX_MARKS["worse"], "◆": _LATEX_MARKS["different"],
}  # fmt: skip
_LATEX_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_DIRECTIONS = {Better.HIGHER: "↑", Better.LOWER: "↓", Better.NEITHER: ""}
UNDEFINED = "–"


def number(value: float | None) -> str:
    """Return a number with four significant places, or a dash where there is none."""
    if value is None or not isfinite(value):
        return UNDEFINED
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        places = 4 if abs(value) < 10 else 3 if abs(value) < 100 else 2
        return f"{value:.{places}f}"
    return f"{value:.3e}"


def interval(result: MetricResult) -> str:
    """Return the interval of a result as text."""
    found = result.measurement.interval
    return f"{number(found.low)} … {number(found.high)}" if found is not None else UNDEFINED


def labels(report: CorpusReport) -> list[str]:
    """Return the shortest names that tell the response files apart."""
    names = [Path(file.name).name for file in report.files]
    return names if len(set(names)) == len(names) else [file.name for file in report.files]


def console(report: CorpusReport) -> str:
    """Return the table for a terminal, with what was not computed and how to read the marks."""
    rows = _single(report) if len(report.files) == 1 else _several(report)
    parts = [_aligned(rows)] if len(rows) > 1 else []
    parts += [_reading(report), _not_computed(report), f"signature: {report.signature}"]
    return "\n\n".join(part for part in parts if part) + "\n"


def _single(report: CorpusReport) -> list[list[str]]:
    file = report.files[0]
    level = "t interval" if report.mode.has_fixed_t else f"{report.confidence:.0%} interval"
    rows = [["metric", "", labels(report)[0], level, "n"]]
    for result in file.results:
        direction = _DIRECTIONS[result.column.better]
        value = number(result.measurement.value)
        rows.append([result.column.name, direction, value, interval(result), f"{result.measurement.n}"])
    return rows


def _several(report: CorpusReport) -> list[list[str]]:
    rows = [["metric", "", *labels(report)]]
    for column in report.computed:
        cells = [_cell(file, column.name, report) for file in report.files]
        rows.append([column.name, _DIRECTIONS[column.better], *cells])
    return rows


def _cell(file: FileResult, name: str, report: CorpusReport) -> str:
    result = file.result(name)
    if result is None:
        return UNDEFINED
    mark = MARKS[result.verdict(report.confidence)] if report.baseline is not None else ""
    half = f" ±{number(result.half_width)}" if result.half_width else ""
    return (
        f"{number(result.measurement.value)}{half} {mark or ' '}"
        if report.baseline
        else (f"{number(result.measurement.value)}{half}")
    )


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows with the first two columns to the left and all others to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        lines.append("  ".join([*left, *right]).rstrip())
    lines.insert(1, "─" * (sum(widths) + 2 * (len(widths) - 1)))
    return "\n".join(lines)


def _reading(report: CorpusReport) -> str:
    lines = ["↑ higher is better, ↓ lower is better; n counts the lines that have a value."]
    if len(report.files) > 1:
        lines = ["↑ higher is better, ↓ lower is better; ± is half the width of the interval."]
    if report.baseline is not None:
        lines.append(
            f"▲ better, ▼ worse, ◆ different than {Path(report.baseline).name} "
            f"(paired bootstrap, p < {1 - report.confidence:.2g}, not adjusted for many comparisons)."
        )
    return "\n".join(lines)


def _not_computed(report: CorpusReport) -> str:
    lines = [f"  {', '.join(names)}: {reason}" for reason, names in report.not_computed.items()]
    lines += [f"  {note}" for note in report.notes]
    return "\n".join(["not computed:", *lines]) if lines else ""


def markdown(report: CorpusReport) -> str:
    """Return a Markdown table, one row a metric."""
    rows = _single(report) if len(report.files) == 1 else _several(report)
    escaped = [[cell.strip().replace("|", "\\|") for cell in row] for row in rows]
    aligned = ["---", "---", *["---:"] * (len(rows[0]) - 2)]
    lines = [f"| {' | '.join(row)} |" for row in (escaped[0], aligned, *escaped[1:])]
    notes = [_reading(report), _not_computed(report), f"`{report.signature}`"]
    return "\n".join([*lines, "", *(f"{note}\n" for note in notes if note)])


def latex(report: CorpusReport) -> str:
    """Return a LaTeX table for the package booktabs, one row a metric."""
    head = ["metric", "", *labels(report)]
    lines = [
        f"% {report.signature}",
        rf"\begin{{tabular}}{{lc{'r' * len(report.files)}}}",
        r"\toprule",
        " & ".join(map(_latex_text, head)) + r" \\",
        r"\midrule",
    ]
    for column in report.computed:
        cells = [_latex_cell(file.result(column.name), report) for file in report.files]
        direction = _LATEX_SIGNS[_DIRECTIONS[column.better]]
        lines.append(" & ".join([_latex_text(column.name), direction, *cells]) + r" \\")
    legend = _latex_text(_reading(report).replace("\n", " "))
    for sign, drawn in _LATEX_SIGNS.items():
        legend = legend.replace(sign, drawn) if sign else legend
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\par\smallskip", legend]) + "\n"


def _latex_cell(result: MetricResult | None, report: CorpusReport) -> str:
    if result is None:
        return "--"
    half = f"\\,$\\pm$\\,{number(result.half_width)}" if result.half_width else ""
    return f"{number(result.measurement.value)}{half}{_LATEX_MARKS[result.verdict(report.confidence)]}"


def _latex_text(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(character, character) for character in text)


def tabulate_numbers(report: CorpusReport) -> Grid:
    """Return one row for each number, for spreadsheets."""
    head = (
        "file", "metric", "value", "low", "high", "deviation", "n", "better", "difference", "p", "verdict",
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for name, file in zip(labels(report), report.files, strict=True):
        for result in file.results:
            found, apart = result.measurement.interval, result.difference
            span = (found.low, found.high) if found else (None, None)
            rows.append((
                name, result.column.name, result.measurement.value, *span, result.deviation,
                result.measurement.n, str(result.column.better), apart.value if apart else None,
                apart.p if apart else None, result.verdict(report.confidence),
            ))  # fmt: skip
        rows += [(name, missing.name, *[None] * 8, missing.reason) for missing in file.not_computed]
    return Grid("metrics", head, tuple(rows))


def comma_separated(report: CorpusReport) -> str:
    """Return one row for each number; texts that a spreadsheet might run as a formula are disarmed."""
    return write_csv(tabulate_numbers(report))


def original_text(report: CorpusReport) -> str:
    """Return the original tool's file: a row of names, then `mean,deviation,half width` for each file."""
    columns = [column.name for column in report.computed]
    lines = [" ".join(["filename", *columns])]
    for file in report.files:
        cells = "".join(f"{_original_cell(file.result(name))} " for name in columns)
        lines.append(f"{Path(file.name).name} {cells}")
    return "\n".join(lines) + "\n"


def _original_cell(result: MetricResult | None) -> str:
    if result is None or result.measurement.value is None:
        return "nan,nan,nan"
    deviation = (
        "0" if result.column.name.startswith("distinct-") and not result.deviation else repr(result.deviation)
    )
    numbers = (repr(result.measurement.value), deviation, repr(result.half_width))
    return ",".join("nan" if text == "None" else text for text in numbers)
