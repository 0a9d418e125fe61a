"""The figures of two runs one by one, as a table, a sentence and plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from du_eval.reports.text import UNDEFINED
from du_eval.runs.comparison import Comparison
from du_eval.runs.figures import Direction
from du_eval.runs.measures import Measure, nearest
from du_eval.runs.records import StepRecord
from du_eval.statistics.intervals import Interval
from du_eval.statistics.verdict import Verdict

_ARROWS = {Direction.HIGHER: "↑", Direction.LOWER: "↓", Direction.UNKNOWN: " "}
_NAMED = 4


def p_text(p: float | None) -> str:
    """Return a p value as it is read."""
    if p is None:
        return UNDEFINED
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def place_of(step: StepRecord) -> str:
    """Return where a step stands; a dialogue has a name instead of a line."""
    return f"{step.file}:{step.line}" if step.line else f"{step.case}, {step.step}"


def measure_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return the table of all figures, its header first."""
    title = "check" if comparison.decides else "figure"
    rows: list[tuple[str, ...]] = [
        (title, "better", "n", "before", "after", "difference", "effect", "p", "verdict")
    ]
    for one in comparison.measures:
        verdict = one.verdict.value
        if one.verdict is Verdict.UNDECIDED and one.needed:
            verdict += f", {one.needed - one.n:,} more"
        rows.append(
            (one.name, _ARROWS[one.figure.better], str(one.n), f"{one.before:.4g}", f"{one.after:.4g}",
             f"{one.difference:+.4g} ({spread(one.interval)})", _effect(one), p_text(one.adjusted_p), verdict)
        )  # fmt: skip
    return rows


def _effect(measure: Measure) -> str:
    if measure.effect is None:
        return UNDEFINED
    return f"{'g' if measure.figure.is_share else 'd'} {measure.effect:+.2f}"


def spread(interval: Interval) -> str:
    """Return an interval of a difference."""
    return f"{interval.low:+.3g} to {interval.high:+.3g}"


def measures_reason(comparison: Comparison) -> str:
    """Return the verdict over several figures in a sentence."""
    measures = comparison.measures
    if not measures:
        return f"the runs have no judged {comparison.after.unit} in common"
    counts = Counter(one.verdict for one in measures)
    told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    parts = [f"of {len(measures)} figures: {told}"]
    for verdict in (Verdict.REGRESSED, Verdict.IMPROVED):
        found = [one for one in measures if one.verdict is verdict]
        if found:
            parts.append(f"{verdict.value}: {_named(found)}")
    waiting = nearest(measures)
    if comparison.verdict is Verdict.UNDECIDED and waiting:
        name, more = waiting
        parts.append(f"about {more:,} more {comparison.after.unit} would decide about {name}")
    return "; ".join(parts)


def _named(measures: Sequence[Measure]) -> str:
    shown = [f"{one.name} {one.before:.4g} → {one.after:.4g}" for one in measures[:_NAMED]]
    more = len(measures) - _NAMED
    return ", ".join([*shown, f"and {more} more"] if more > 0 else shown)


def measures_data(comparison: Comparison) -> list[dict[str, Any]]:
    """Return everything about the figures."""
    return [
        {
            "name": one.name,
            "better": one.figure.better.value,
            "n": one.n,
            "conversations": one.clusters,
            "before": one.before,
            "after": one.after,
            "difference": one.difference,
            "interval": [one.interval.low, one.interval.high],
            "effect_size": one.effect,
            "effect": "Cohen's g" if one.figure.is_share else "Cohen's d",
            "margin": one.margin,
            "p": one.p,
            "adjusted_p": one.adjusted_p,
            "verdict": one.verdict.value,
            "more_needed": None if one.needed is None else one.needed - one.n,
        }
        for one in comparison.measures
    ]
