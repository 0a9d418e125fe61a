"""What a run's own numbers are worth, as text and as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from du_eval.errors import InputError
from du_eval.reports.text import measured
from du_eval.runs.clusters import cluster_rates
from du_eval.runs.records import RunRecord
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.intervals import Measurement
from du_eval.statistics.selfcheck import (
    SelfCheck,
    Simulation,
    Suite,
    check_interval,
    describe_suite,
    simulate_power,
)


@dataclass(frozen=True, slots=True)
class CheckedFigure:
    """A rate, the suite behind it, and how its interval does on such suites."""

    name: str
    measured: Measurement
    suite: Suite
    found: SelfCheck


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """All rates of a run, and the chance that a comparison on its suite proves a loss of its first rate."""

    figures: tuple[CheckedFigure, ...]
    power: Mapping[float, float]
    plan: Simulation


def check_run(run: RunRecord, losses: Sequence[float], plan: Simulation) -> CheckedRun:
    """Simulate the suite behind each rate of a run."""
    figures = []
    for name, clusters in cluster_rates(run).items():
        suite = describe_suite(clusters)
        if suite is not None:
            checked = check_interval(suite, plan=plan)
            figures.append(CheckedFigure(name, clustered_proportion(clusters), suite, checked))
    if not figures:
        raise InputError(
            f"'{run.name}' has no rate to check: nothing was judged, or it only has other numbers"
        )
    power = {loss: simulate_power(figures[0].suite, loss, plan=plan) for loss in losses}
    return CheckedRun(tuple(figures), power, plan)


def selfcheck_text(found: CheckedRun) -> str:
    """Return the check as text."""
    width = max(len(one.name) for one in found.figures)
    lines = [f"{'figure':{width}}  {'rate':24}  conversations  correlation  95 % interval holds"]
    lines += [
        f"{one.name:{width}}  {measured(one.measured):24}  {len(one.suite.sizes):13}  "
        f"{one.suite.correlation:11.2f}  {100 * one.found.coverage:.1f} %"
        for one in found.figures
    ]
    lines += ["", f"chance that a comparison proves a loss of {found.figures[0].name}:"]
    lines += [f"  {loss:g}: {100 * chance:.0f} %" for loss, chance in found.power.items()]
    lines += ["", f"{found.plan.runs} simulated runs each, seed {found.plan.seed}"]
    return "\n".join(lines) + "\n"


def selfcheck_data(found: CheckedRun) -> dict[str, Any]:
    """Return the check as plain data."""
    return {
        "simulations": found.plan.runs,
        "seed": found.plan.seed,
        "figures": [
            {
                "name": one.name,
                "value": one.measured.value,
                "n": one.measured.n,
                "conversations": len(one.suite.sizes),
                "correlation": one.suite.correlation,
                "coverage": one.found.coverage,
                "mean_width": one.found.width,
                "method": one.measured.method,
            }
            for one in found.figures
        ],
        "power": {f"{loss:g}": chance for loss, chance in found.power.items()},
    }
