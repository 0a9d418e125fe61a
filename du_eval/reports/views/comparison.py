"""The view of a comparison: the verdict in a sentence, figures one by one, and what changed."""

from __future__ import annotations

from collections.abc import Iterator

from du_eval.experiments.deciding import decide_runs
from du_eval.experiments.decision import Decision
from du_eval.reports.columns import Number, make_columns
from du_eval.reports.comparison_text import describe_method, explain_verdict, list_remarks, p_text
from du_eval.reports.numbers import show_number
from du_eval.reports.sections import Cell, Note, Section, Table, View
from du_eval.reports.views.decision import list_causes, list_changes, make_headline
from du_eval.runs.comparison import Comparison
from du_eval.runs.figures import Direction
from du_eval.statistics.intervals import Interval
from du_eval.statistics.paired_f1 import F1Change
from du_eval.statistics.verdict import Verdict

_ARROWS = {Direction.HIGHER: "↑", Direction.LOWER: "↓", Direction.UNKNOWN: ""}
_F1_COLUMNS = make_columns("F1", Number("n"), Number("before"), Number("after"), "difference", "p", "verdict")


def view_comparison(comparison: Comparison, decision: Decision | None = None) -> View:
    """Return the view of two compared runs: the decision first; without one, what the figures alone say."""
    before, after = comparison.before, comparison.after
    decision = decision or decide_runs(comparison)
    return View(
        title=f"{before.name} → {after.name}",
        kind="comparison",
        headline=make_headline(decision),
        sections=tuple(_list_sections(comparison, decision)),
        signature=describe_method(comparison),
        notes=tuple(list_remarks(comparison)),
        unfinished="; ".join(
            f"{one.name}: {one.unfinished}" for one in (comparison.before, comparison.after) if one.unfinished
        ),
    )


def _list_sections(comparison: Comparison, decision: Decision) -> Iterator[Section]:
    before, after, verdict = comparison.before, comparison.after, comparison.verdict
    sides = (("before", before), ("after", after))
    yield Note(
        "\n".join(f"{side}: {' · '.join(filter(None, (one.name, one.generator)))}" for side, one in sides)
    )
    yield Note(f"{verdict.value.capitalize()}: {explain_verdict(comparison)}")
    yield from list_causes(decision)
    yield from list_changes(decision)
    rows = [
        _make_f1_row(change.f1.name, change.f1, change.f1.adjusted_p, str(change.verdict))
        for change in comparison.commands
    ]
    rows += [_make_f1_row(f"({name})", f1, f1.p, "") for name, f1 in comparison.averages.items()]
    if rows:
        yield Table("F1 by command", _F1_COLUMNS, tuple(rows))
    yield from _list_measures(comparison)
    if comparison.mistakes:
        columns = make_columns("mistake", Number("before"), Number("after"))
        found = tuple((kind, before, after) for kind, (before, after) in comparison.mistakes.items())
        yield Table("Mistakes", columns, found)


def _make_f1_row(name: str, f1: F1Change, p: float | None, verdict: str) -> tuple[Cell, ...]:
    return name, f1.n, f1.before, f1.after, _show_change(f1.value, f1.interval), p_text(p), verdict


def _show_change(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return show_number(None)
    return f"{value:+.3f}" + (f" ({interval.low:+.3f} to {interval.high:+.3f})" if interval else "")


def _list_measures(comparison: Comparison) -> Iterator[Table]:
    if not comparison.measures:
        return
    name = "check" if comparison.decides else "figure"
    columns = make_columns(
        name, "better", Number("n"), Number("before"), Number("after"), "difference", "effect", "p",
        "verdict",
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    remark = ""
    for one in comparison.measures:
        found, verdict = one.found, str(one.verdict)
        if one.verdict is Verdict.UNDECIDED and one.needed:
            verdict += f", needs {one.needed - found.n:,} more"
            remark = f"needs N more: {comparison.after.unit} that would decide, if the rates stay like this"
        effect = "" if found.effect is None else f"{'g' if one.figure.is_share else 'd'} {found.effect:+.2f}"
        spread = f"{found.value:+.4g} ({found.interval.low:+.3g} to {found.interval.high:+.3g})"
        rows.append(
            (one.name, _ARROWS[one.figure.better], found.n, one.before, one.after, spread, effect,
             p_text(one.adjusted_p), verdict)
        )  # fmt: skip
    yield Table(f"{name.capitalize()}s", columns, tuple(rows), remark)
