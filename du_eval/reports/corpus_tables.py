"""Corpus metrics as tables of text: console, Markdown, LaTeX, CSV, and the original tool's `metrics.txt`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from du_eval.corpus.record import MetricNumber, MetricsExtra, MetricsRun
from du_eval.reports.numbers import UNDEFINED
from du_eval.reports.renderers.layout import set_table
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
_DIRECTIONS = {"higher": "↑", "lower": "↓"}


def number(value: float | None) -> str:
    """Return a number with four significant places, or a dash where there is none."""
    if value is None or not isfinite(value):
        return UNDEFINED
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        places = 4 if abs(value) < 10 else 3 if abs(value) < 100 else 2
        return f"{value:.{places}f}"
    return f"{value:.3e}"


def _interval(one: MetricNumber) -> str:
    found = one.measured.interval
    return f"{number(found.low)} … {number(found.high)}" if found is not None else UNDEFINED


def get_extra(run: MetricsRun) -> MetricsExtra:
    """Return the numbers of a run by file; a run that has none was not made by us."""
    return run.extra or MetricsExtra((), "")


def labels(run: MetricsRun) -> list[str]:
    """Return the shortest names that tell the response files apart."""
    files = get_extra(run).files
    names = [Path(file.name).name for file in files]
    return names if len(set(names)) == len(names) else [file.name for file in files]


def console(run: MetricsRun) -> str:
    """Return the table for a terminal, with what was not computed and how to read the marks."""
    rows = _list_rows(run)
    parts = [_aligned(rows)] if len(rows) > 1 else []
    parts += [_reading(run), _not_computed(run), f"signature: {run.head.signature}"]
    return "\n\n".join(part for part in parts if part) + "\n"


def _list_rows(run: MetricsRun) -> list[list[str]]:
    extra = get_extra(run)
    if len(extra.files) != 1:
        rows = [["metric", "", *labels(run)]]
        for name, better in extra.computed.items():
            cells = [_cell(file.number(name), extra) for file in extra.files]
            rows.append([name, _DIRECTIONS.get(better, ""), *cells])
        return rows
    numbers = extra.files[0].metrics
    is_fixed = any(one.measured.method.startswith("interval:t=") for one in numbers)
    level = "t interval" if is_fixed else f"{extra.confidence:.0%} interval"
    rows = [["metric", "", labels(run)[0], level, "n"]]
    for one in numbers:
        value, direction = number(one.measured.value), _DIRECTIONS.get(one.better, "")
        rows.append([one.name, direction, value, _interval(one), f"{one.measured.n}"])
    return rows


def _cell(one: MetricNumber | None, extra: MetricsExtra) -> str:
    if one is None:
        return UNDEFINED
    half = f" ±{number(one.half_width)}" if one.half_width else ""
    mark = f" {MARKS.get(one.verdict) or ' '}" if extra.baseline else ""
    return f"{number(one.measured.value)}{half}{mark}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows with the first two columns to the left and all others to the right."""
    lines = list(set_table(rows, [place > 1 for place in range(len(rows[0]))], None))
    return "\n".join([lines[0], "─" * max(map(len, lines)), *lines[1:]])


def _reading(run: MetricsRun) -> str:
    extra = get_extra(run)
    lines = ["↑ higher is better, ↓ lower is better; n counts the lines that have a value."]
    if len(extra.files) > 1:
        lines = ["↑ higher is better, ↓ lower is better; ± is half the width of the interval."]
    if extra.baseline:
        lines.append(
            f"▲ better, ▼ worse, ◆ different than {Path(extra.baseline).name} "
            f"(paired bootstrap, p < {1 - extra.confidence:.2g}, corrected for the number of metrics)."
        )
    return "\n".join(lines)


def _not_computed(run: MetricsRun) -> str:
    missing = get_extra(run).not_computed
    lines = [f"  {', '.join(names)}: {reason}" for reason, names in missing.items()]
    return "\n".join(["not computed:", *lines]) if lines else ""


def markdown(run: MetricsRun) -> str:
    """Return a Markdown table, one row a metric."""
    rows = _list_rows(run)
    escaped = [[cell.strip().replace("|", "\\|") for cell in row] for row in rows]
    aligned = ["---", "---", *["---:"] * (len(rows[0]) - 2)]
    lines = [f"| {' | '.join(row)} |" for row in (escaped[0], aligned, *escaped[1:])]
    notes = [_reading(run), _not_computed(run), f"`{run.head.signature}`"]
    return "\n".join([*lines, "", *(f"{note}\n" for note in notes if note)])


def latex(run: MetricsRun) -> str:
    """Return a LaTeX table for the package booktabs, one row a metric."""
    extra, head = get_extra(run), ["metric", "", *labels(run)]
    lines = [
        f"% {run.head.signature}",
        rf"\begin{{tabular}}{{lc{'r' * len(extra.files)}}}",
        r"\toprule",
        " & ".join(map(_latex_text, head)) + r" \\",
        r"\midrule",
    ]
    for name, better in extra.computed.items():
        cells = [_latex_cell(file.number(name)) for file in extra.files]
        direction = _LATEX_SIGNS[_DIRECTIONS.get(better, "")]
        lines.append(" & ".join([_latex_text(name), direction, *cells]) + r" \\")
    legend = _latex_text(_reading(run).replace("\n", " "))
    for sign, drawn in _LATEX_SIGNS.items():
        legend = legend.replace(sign, drawn) if sign else legend
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\par\smallskip", legend]) + "\n"


def _latex_cell(one: MetricNumber | None) -> str:
    if one is None:
        return "--"
    half = f"\\,$\\pm$\\,{number(one.half_width)}" if one.half_width else ""
    return f"{number(one.measured.value)}{half}{_LATEX_MARKS.get(one.verdict, '')}"


def _latex_text(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(character, character) for character in text)


def tabulate_numbers(run: MetricsRun) -> Grid:
    """Return one row for each number, for spreadsheets."""
    head = (
        "file", "metric", "value", "low", "high", "deviation", "n", "better", "difference", "p", "verdict",
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for name, file in zip(labels(run), get_extra(run).files, strict=True):
        for one in file.metrics:
            found = one.measured.interval
            span = (found.low, found.high) if found else (None, None)
            rows.append((
                name, one.name, one.measured.value, *span, one.deviation, one.measured.n, one.better,
                one.difference, one.p, one.verdict if one.verdict in MARKS else "",
            ))  # fmt: skip
        rows += [(name, missing, *[None] * 8, reason) for missing, reason in file.not_computed]
    return Grid("metrics", head, tuple(rows))


def comma_separated(run: MetricsRun) -> str:
    """Return one row for each number; texts that a spreadsheet might run as a formula are disarmed."""
    return write_csv(tabulate_numbers(run))


def original_text(run: MetricsRun) -> str:
    """Return the original tool's file: a row of names, then `mean,deviation,half width` for each file."""
    extra = get_extra(run)
    lines = [" ".join(["filename", *extra.computed])]
    for file in extra.files:
        cells = "".join(f"{_original_cell(file.number(name))} " for name in extra.computed)
        lines.append(f"{Path(file.name).name} {cells}")
    return "\n".join(lines) + "\n"


def _original_cell(one: MetricNumber | None) -> str:
    if one is None or one.measured.value is None:
        return "nan,nan,nan"
    deviation = "0" if one.name.startswith("distinct-") and not one.deviation else repr(one.deviation)
    numbers = (repr(one.measured.value), deviation, repr(one.half_width))
    return ",".join("nan" if text == "None" else text for text in numbers)
