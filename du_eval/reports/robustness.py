"""Robustness as lines and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from du_eval.evaluation.robustness import LevelResult, Robustness
from du_eval.reports.text import UNDEFINED


def robustness_lines(found: Robustness) -> Iterator[str]:
    """Yield a line for each level, and where each perturbation breaks the understanding."""
    heads = f"{'perturbation':12} {'level':>5} {'realised':>8} {'steps':>6} {'accuracy':>8} {'unchanged':>9}"
    yield f"{heads}  difference"
    for one in found.levels:
        data = _level(one)
        if data["accuracy"] is None:
            yield f"{one.kind:12} {one.level:5.2f} {UNDEFINED:>8} {0:6}  no step could be changed"
            continue
        low, high = data["interval"]
        spread = f"{data['difference']:+.3f} ({low:+.3f} to {high:+.3f})"
        yield (
            f"{one.kind:12} {one.level:5.2f} {one.realised:8.2f} {data['n']:6} {data['accuracy']:8.3f} "
            f"{data['unperturbed']:9.3f}  {spread} {data['verdict']}"
        )
    for kind, level in found.breaking.items():
        yield f"{kind}: " + (
            "no level breaks it" if level is None else f"accuracy is lower from level {level:g} on"
        )


def robustness_data(found: Robustness) -> dict[str, Any]:
    """Return everything about the levels."""
    return {"levels": [_level(one) for one in found.levels], "breaking": dict(found.breaking)}


def _level(one: LevelResult) -> dict[str, Any]:
    comparison, accuracy = one.comparison, one.comparison.accuracy
    rates = comparison.rates
    return {
        "perturbation": one.kind,
        "level": one.level,
        "realised": one.realised,
        "n": comparison.overlap.common,
        "accuracy": rates[1] if rates else None,
        "unperturbed": rates[0] if rates else None,
        "difference": accuracy.value if accuracy else None,
        "interval": [accuracy.interval.low, accuracy.interval.high] if accuracy else None,
        "p": accuracy.p if accuracy else None,
        "verdict": comparison.verdict.value,
        "f1": {
            change.f1.name: {"unperturbed": change.f1.before, "perturbed": change.f1.after, "n": change.f1.n}
            for change in comparison.commands
        },
    }
