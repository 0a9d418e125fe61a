"""How large a comparison must be, as text and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from msgspec import Struct

from du_eval.errors import InputError, tell_count
from du_eval.reports.numbers import show_measurement
from du_eval.reports.sections import name_methods
from du_eval.runs.measures import F1_SHARE, cluster_rates
from du_eval.runs.record import Head, Spent
from du_eval.runs.records import RunRecord
from du_eval.statistics.clusters import METHOD as RATE_METHOD
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.counts import Counts, averages, pool_counts, sum_counts
from du_eval.statistics.f1 import MACRO, convert_jaccard, f1_intervals
from du_eval.statistics.f1 import METHOD as F1_METHOD
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.planning import Sizing, Wish, size_comparison
from du_eval.statistics.selfcheck import (
    SelfCheck,
    Simulation,
    Suite,
    check_interval,
    check_macro_f1,
    describe_suite,
    simulate_power,
)

_SAMPLES = (1, 3, 5)
MACRO_F1 = f"{F1_SHARE}{MACRO}"


class Pilot(Struct, frozen=True):
    """What is known of a suite: steps of a conversation, design effect, seconds and cost of a call."""

    steps: float
    design_effect: float = 1.5
    seconds: float | None = None
    cost: float | None = None


def describe_pilot(run: RunRecord, head: Head | None) -> Pilot:
    """Return what a run tells about its suite."""
    rates = cluster_rates(run)
    suite = describe_suite(next(iter(rates.values()))) if rates else None
    if suite is None:
        raise InputError(
            f"'{run.name}' has nothing that was judged: plan with a run that has, or without one"
        )
    steps = sum(suite.sizes) / len(suite.sizes) / max(1, head.samples if head else 1)
    effect = 1 + (steps - 1) * suite.correlation
    spent = head.spent if head else Spent()
    timed = spent.calls - spent.earlier
    return Pilot(
        steps,
        effect,
        head.seconds / timed if head and timed else None,
        spent.cost / spent.calls if spent.calls and spent.cost is not None else None,
    )


def render_sizing(wish: Wish, pilot: Pilot) -> str:
    """Return the plan as text."""
    sure = f"with a chance of {wish.power:.0%} (alpha {wish.alpha:g})"
    suite = f"conversations of {pilot.steps:.1f} steps, design effect {pilot.design_effect:.1f}"
    rest = "a kept baseline needs no second run; the smaller number applies if steps change one by one"
    plans = [f"  {_told(one, pilot)}" for one in _sizings(wish, pilot)]
    return "\n".join([f"to prove a loss of {wish.loss:g} {sure}, {suite}:", "", *plans, "", rest]) + "\n"


def _told(one: Sizing, pilot: Pilot) -> str:
    data = _sizing(one, pilot)
    times = f"{tell_count(one.samples, 'sample')}"
    calls = f"{data['calls']:,} calls ({data['calls_low']:,}–{data['calls_high']:,}) a run"
    parts = [f"{one.about:,} conversations ({one.low:,}–{one.high:,}) × {times}: {calls}"]
    if data["seconds"] is not None:
        parts.append(f"about {data['seconds'] / 60:.0f} min")
    if data["cost"] is not None:
        parts.append(f"cost {data['cost']:.2f}")
    return ", ".join(parts)


def encode_sizing(wish: Wish, pilot: Pilot) -> dict[str, object]:
    """Return the plan as plain data."""
    return {
        "loss": wish.loss,
        "alpha": wish.alpha,
        "power": wish.power,
        "steps": pilot.steps,
        "design_effect": pilot.design_effect,
        "plans": [_sizing(one, pilot) for one in _sizings(wish, pilot)],
    }


def _sizings(wish: Wish, pilot: Pilot) -> list[Sizing]:
    return [size_comparison(wish, pilot.steps, pilot.design_effect, samples) for samples in _SAMPLES]


def _sizing(one: Sizing, pilot: Pilot) -> dict[str, float | None]:
    each = pilot.steps * one.samples
    calls = ceil(one.about * each)
    return {
        "samples": one.samples,
        "conversations": one.about,
        "conversations_low": one.low,
        "conversations_high": one.high,
        "calls": calls,
        "calls_low": ceil(one.low * each),
        "calls_high": ceil(one.high * each),
        "seconds": None if pilot.seconds is None else calls * pilot.seconds,
        "cost": None if pilot.cost is None else calls * pilot.cost,
    }


class CheckedFigure(Struct, frozen=True):
    """A rate, the suite behind it, and how its interval does on such suites."""

    name: str
    measured: Measurement
    suite: Suite
    found: SelfCheck


class CheckedRun(Struct, frozen=True):
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
            rate = clustered_proportion(clusters)
            shown = _convert(rate) if name.startswith(F1_SHARE) else rate
            figures.append(CheckedFigure(name, shown, suite, checked))
    figures += _check_macro(run, plan)
    if not figures:
        raise InputError(
            f"'{run.name}' has no rate to check: nothing was judged, or it only has other numbers"
        )
    power = {loss: simulate_power(figures[0].suite, loss, plan=plan) for loss in losses}
    return CheckedRun(tuple(figures), power, plan)


def _check_macro(run: RunRecord, plan: Simulation) -> Iterator[CheckedFigure]:
    """Yield macro F1, where commands were counted; its suite is that of all commands together."""
    cases: dict[tuple[str, str, str], list[Mapping[str, Counts]]] = {}
    for step in run.steps:
        if step.is_judged:
            cases.setdefault((step.file, step.case, step.variant), []).append(step.counts)
    counts = [pool_counts(found) for found in cases.values()]
    together = [sum_counts(one.values()) for one in counts]
    suite = describe_suite([(one.tp, one.tp + one.fp + one.fn) for one in together])
    found = check_macro_f1(counts, plan=plan)
    if suite is not None and found is not None:
        value, interval = averages(pool_counts(counts)).macro, f1_intervals(counts).averages[MACRO]
        method = clustered_proportion([]).method.replace(RATE_METHOD, F1_METHOD)
        yield CheckedFigure(
            MACRO_F1, Measurement(value, sum(suite.sizes), interval, method=method), suite, found
        )


def _convert(share: Measurement) -> Measurement:
    """Return the F1 of a Jaccard share: its interval holds the truth just as often."""
    if share.value is None or share.interval is None:
        return share
    ends = Interval(convert_jaccard(share.interval.low), convert_jaccard(share.interval.high))
    return Measurement(
        convert_jaccard(share.value), share.n, ends, method=share.method.replace(RATE_METHOD, F1_METHOD)
    )


def selfcheck_text(found: CheckedRun) -> str:
    """Return the check as text."""
    width = max(len(one.name) for one in found.figures)
    lines = [f"{'figure':{width}}  {'rate':24}  conversations  correlation  95 % interval holds"]
    lines += [
        f"{one.name:{width}}  {show_measurement(one.measured):24}  {len(one.suite.sizes):13}  "
        f"{one.suite.correlation:11.2f}  {100 * one.found.coverage:.1f} %"
        for one in found.figures
    ]
    lines += ["", f"chance that a comparison proves a loss of {found.figures[0].name}:"]
    lines += [f"  {loss:g}: {100 * chance:.0f} %" for loss, chance in found.power.items()]
    lines += ["", f"{found.plan.runs} simulated runs each, seed {found.plan.seed}"]
    lines += [f"signature: {name_methods(one.measured for one in found.figures)}"]
    return "\n".join(lines) + "\n"


def selfcheck_data(found: CheckedRun) -> dict[str, object]:
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
