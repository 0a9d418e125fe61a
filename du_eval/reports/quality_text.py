"""A quality report on the console: one line a test."""

from __future__ import annotations

from collections.abc import Iterator

from du_eval.quality.results import Cell, QualityReport, TestResult
from du_eval.reports.text import UNDEFINED, number, seconds

_FEW = 10


def quality_text(report: QualityReport) -> str:
    """Return the summary table and what lies beside it."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: QualityReport) -> Iterator[str]:
    turns = sum(report.outcomes.values())
    held = len(report.dialogues)
    yield f"{report.bot or 'bot'}: {held} conversation{'s' * (held != 1)}, {turns} replies"
    if report.compat:
        yield f"formulas and cells of the original ({report.compat})"
    failed = {name: count for name, count in report.outcomes.items() if name != "answered"}
    if failed:
        shown = ", ".join(f"{count} {name}" for name, count in sorted(failed.items()))
        yield f"no reply: {shown} (counted here, and in no rate)"
    if report.seconds:
        yield "response time: " + ", ".join(
            f"{name} {seconds(value)}" for name, value in report.seconds.items()
        )
    yield ""
    head = f"{'test':7} {'what it asks for':33} {'passed':>9}  {'rate':>4}  {'95 % interval':13}"
    yield f"{head}  {'control':12}  paired difference"
    for result in report.tests:
        yield _row(result)
    yield ""
    for result in report.tests:
        yield from _details(result)
    yield from (f"gate missed: {missed}" for missed in report.missed)
    yield "judges: " + ", ".join(f"{role} {name}" for role, name in report.judges.items())
    yield f"signature: {report.signature}"


def _row(result: TestResult) -> str:
    total = result.total
    few = "  (few)" if 0 < total.attempts < _FEW else ""
    unjudged = f"  ({result.unjudged} unjudged)" if result.unjudged else ""
    count = f"{total.successes}/{total.attempts}"
    control = _short(result.control) if result.control else ""
    return (
        f"{result.test:7} {result.title:33} {count:>9}  {number(total.rate.value):>4}  {_spread(total):13}  "
        f"{control:12}  {_difference(result)}{few}{unjudged}"
    ).rstrip()


def _difference(result: TestResult) -> str:
    found = result.paired
    if found is None:
        return ""
    return f"{found.value:+.2f} ({found.interval.low:+.2f} to {found.interval.high:+.2f}, {found.n} pairs)"


def _spread(cell: Cell) -> str:
    interval = cell.rate.interval
    return f"{interval.low:.2f}–{interval.high:.2f}" if interval else UNDEFINED


def _short(cell: Cell) -> str:
    return f"{number(cell.rate.value)} ({cell.successes}/{cell.attempts})"


def _details(result: TestResult) -> Iterator[str]:
    """Yield the curves in words: by level, by distance, by variant, and labels that ever failed."""
    for name, cells in (
        ("by level", result.levels),
        ("by distance", result.distances),
        ("by kind", result.variants),
    ):
        if cells:
            shown = "  ".join(f"{cell.name}: {number(cell.rate.value)} (n={cell.attempts})" for cell in cells)
            yield f"{result.test} {name}: {shown}"
    failed = [cell for cell in result.labels if cell.successes < cell.attempts]
    if failed:
        shown = ", ".join(f"{cell.name} {cell.attempts - cell.successes}" for cell in failed)
        yield f"{result.test} replies above the threshold: {shown}"
