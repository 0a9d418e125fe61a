"""The numbers of a run of agent cases, ready to print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from du_eval.agents.results import AgentRun, CaseResult, Outcome
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.intervals import Measurement
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
    return RunNumbers(
        cases=_rate([(case, case.outcome) for case in run.cases]),
        samples=_rate([(case, sample.outcome) for case in run.cases for sample in case.samples]),
        errored_samples=outcomes.count(Outcome.ERRORED),
        flaky_cases=sum(case.is_flaky for case in run.cases),
        latencies=percentiles(one.seconds for one in interactions if one.reply),
        tokens=sum(tokens) if tokens else None,
        cost=sum(costs) if costs else None,
    )


def _rate(outcomes: Sequence[tuple[CaseResult, Outcome]]) -> Measurement:
    """Return the share that passed of what was judged; a case is one cluster, over all its connections."""
    clusters: dict[tuple[str, str], tuple[int, int]] = {}
    for case, outcome in outcomes:
        if outcome in {Outcome.PASSED, Outcome.FAILED}:
            place = case.case.file, case.case.name
            passed, judged = clusters.get(place, (0, 0))
            clusters[place] = passed + (outcome is Outcome.PASSED), judged + 1
    found = clustered_proportion(list(clusters.values()))
    return replace(found, missing=len(outcomes) - found.n)


def percent(measurement: Measurement) -> str:
    """Return a rate with its interval; undefined is a dash."""
    if measurement.value is None:
        return "–"
    interval = measurement.interval
    sure = f", 95 % interval {100 * interval.low:.0f}–{100 * interval.high:.0f} %" if interval else ""
    bounds = measurement.bounds
    range_of = f"{100 * bounds.low:.0f}–{100 * bounds.high:.0f} %" if bounds and bounds.matter else ""
    more = f", {range_of} whatever became of {measurement.missing} not judged" if range_of else ""
    return f"{100 * measurement.value:.0f} %{sure}, n={measurement.n}{more}"
