"""A comparison as plain data."""

from __future__ import annotations

from du_eval.experiments.deciding import decide_runs
from du_eval.experiments.decision import Decision
from du_eval.reports.comparison_text import name_place
from du_eval.runs.comparison import Change, Comparison
from du_eval.statistics.intervals import Interval
from du_eval.statistics.paired_f1 import F1Change


def comparison_data(comparison: Comparison, decision: Decision | None = None) -> dict[str, object]:
    """Return everything about two runs."""
    overlap, criteria = comparison.overlap, comparison.criteria
    return {
        "decision": _decision(decision or decide_runs(comparison)),
        "before": {"name": comparison.before.name, "signature": comparison.before.signature},
        "after": {"name": comparison.after.name, "signature": comparison.after.signature},
        "activity": comparison.after.activity,
        "unit": comparison.after.unit,
        "verdict": comparison.verdict.value,
        "alpha": criteria.alpha,
        "margin": criteria.margin,
        "accuracy": _accuracy(comparison),
        "more_needed": comparison.more_needed,
        "samples_needed": comparison.samples_needed,
        "common": overlap.common,
        "only_before": overlap.only_before,
        "only_after": overlap.only_after,
        "asked_otherwise": overlap.asked_otherwise,
        "not_judged": overlap.not_judged,
        "f1": {name: _f1(change) for name, change in comparison.averages.items()},
        "commands": [
            {
                "name": change.f1.name,
                **_f1(change.f1),
                "adjusted_p": change.f1.adjusted_p,
                "verdict": change.verdict.value,
            }
            for change in comparison.commands
        ],
        "unchanged": comparison.is_unchanged,
        "measured_otherwise": list(comparison.measured_otherwise),
        "measures": _measures(comparison),
        "mistakes": {kind: list(counts) for kind, counts in comparison.mistakes.items()},
        "newly_failing": [_change(change) for change in comparison.worse],
        "newly_passing": [_change(change) for change in comparison.better],
    }


def _decision(decision: Decision) -> dict[str, object]:
    causes = [
        {"title": one.title, "worse": one.worse, "better": one.better, "example": one.examples[0].id}
        for one in decision.causes
    ]
    return {
        "advice": decision.advice.value,
        "sentence": decision.sentence,
        "regressed": list(decision.regressed),
        "improved": list(decision.improved),
        "causes": causes,
        "command": decision.command,
    }


def _accuracy(comparison: Comparison) -> dict[str, object] | None:
    found = comparison.accuracy
    if found is None or comparison.rates is None:
        return None
    return {
        "before": comparison.rates[0],
        "after": comparison.rates[1],
        "difference": found.value,
        "interval": _interval(found.interval),
        "p": found.p,
        "adjusted_p": comparison.adjusted_p,
        "mcnemar_p": comparison.mcnemar_p,
        "cohens_g": found.effect,
        "n": found.n,
        "conversations": found.clusters,
        "better": found.better,
        "worse": found.worse,
        "design_effect": found.design_effect,
        "method": found.method,
    }


def _f1(change: F1Change) -> dict[str, object]:
    return {
        "before": change.before,
        "after": change.after,
        "difference": change.value,
        "interval": _interval(change.interval),
        "p": change.p,
        "n": change.n,
        "method": change.found.method if change.found else None,
    }


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _change(change: Change) -> dict[str, object]:
    step = change.after
    return {
        "file": step.file,
        "line": step.line,
        "test_case": step.case,
        "step": step.step,
        "place": name_place(step),
        "user": step.message,
        "expected": list(step.expected or change.before.expected),
        "before": list(change.before.predicted),
        "after": list(step.predicted),
        "difference": change.difference,
    }


def _measures(comparison: Comparison) -> list[dict[str, object]]:
    """Return everything about the figures."""
    return [
        {
            "name": one.name,
            "better": one.figure.better.value,
            "n": one.found.n,
            "conversations": one.found.clusters,
            "before": one.before,
            "after": one.after,
            "difference": one.found.value,
            "interval": _interval(one.found.interval),
            "effect_size": one.found.effect,
            "effect": "Cohen's g" if one.figure.is_share else "Cohen's d",
            "margin": one.margin,
            "p": one.found.p,
            "adjusted_p": one.adjusted_p,
            "method": one.found.method,
            "verdict": one.verdict.value,
            "more_needed": None if one.needed is None else one.needed - one.found.n,
        }
        for one in comparison.measures
    ]
