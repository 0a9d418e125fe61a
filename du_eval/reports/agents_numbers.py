"""The numbers of a run of agent cases, ready to print."""

from __future__ import annotations

from dataclasses import dataclass

from du_eval.agents.results import AgentRun, Outcome
from du_eval.statistics.intervals import Measurement, proportion
from du_eval.statistics.percentiles import percentiles


@dataclass(frozen=True, slots=True)
class RunNumbers:
    """Counts, rates, times and costs of a run."""

    cases: Measurement
    samples: Measurement
    errored_samples: int
    flaky_cases: int
    latencies: dict[str, float]
    tokens: int | None
    cost: float | None


def numbers_of(run: AgentRun) -> RunNumbers:
    """Add a run up; errored cases and samples are counted and enter no rate."""
    samples = [sample for case in run.cases for sample in case.samples]
    outcomes = [sample.outcome for sample in samples]
    interactions = [one for sample in samples for one in sample.interactions]
    usages = [one.reply.usage for one in interactions if one.reply and one.reply.usage]
    tokens = [usage.total_tokens for usage in usages if usage.total_tokens is not None]
    costs = [usage.cost for usage in usages if usage.cost is not None]
    passed, failed = run.count(Outcome.PASSED), run.count(Outcome.FAILED)
    good, bad = outcomes.count(Outcome.PASSED), outcomes.count(Outcome.FAILED)
    return RunNumbers(
        cases=proportion(passed, passed + failed),
        samples=proportion(good, good + bad),
        errored_samples=outcomes.count(Outcome.ERRORED),
        flaky_cases=sum(case.is_flaky for case in run.cases),
        latencies=percentiles(one.seconds for one in interactions if one.reply),
        tokens=sum(tokens) if tokens else None,
        cost=sum(costs) if costs else None,
    )


def percent(measurement: Measurement) -> str:
    """Return a rate with its interval; undefined is a dash."""
    if measurement.value is None:
        return "–"
    interval = measurement.interval
    sure = f", 95 % interval {100 * interval.low:.0f}–{100 * interval.high:.0f} %" if interval else ""
    return f"{100 * measurement.value:.0f} %{sure}, n={measurement.n}"
