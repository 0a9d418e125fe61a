"""What is told of an arm besides how often it is right: cost, latency and format, each with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, sqrt
from typing import Any

from du_eval.evaluation.step import Provenance, StepDetail
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun, Case, Result
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.paired_means import clustered_mean
from du_eval.statistics.quantiles import normal_quantile, percentile

COST, FORMAT_ERRORS, MEDIAN, HIGH = "cost", "format_errors", "latency.p50", "latency.p90"
_CONFIDENCE = 0.95
_THOUSAND = 1000.0


def list_figures(run: AnyRun) -> tuple[Figure, ...]:
    """Return the figures of an arm: how good it is, what it costs, how long it takes."""
    own = [figure for name in ("accuracy", "f1.macro") if (figure := run.figure(name)) is not None]
    return (*own, *_list_more(run))


def _list_more(run: AnyRun) -> Iterator[Figure]:
    cost = _measure_cost(run.cases)
    if cost is not None:
        title = "cost of 1,000 steps"
        yield Figure(COST, cost, title, Direction.LOWER, unit="", method="mean, cached answers too")
    latencies = [seconds for result in run.results() if (seconds := _find_latency(result)) is not None]
    for name, share in ((MEDIAN, 50), (HIGH, 90)):
        found = _measure_percentile(latencies, share)
        if found is not None:
            yield Figure(name, found, f"latency p{share}", Direction.LOWER, unit="seconds")
    wrong = [_count_format_errors(case) for case in run.cases]
    if any(isinstance(result.detail, StepDetail) for result in run.results()):
        yield Figure(FORMAT_ERRORS, clustered_proportion(wrong), "format errors", Direction.LOWER)


def find_cost(result: Result[Any]) -> float | None:
    """Return what an answer cost, also where the cache gave it this time; None where nobody knows."""
    if not isinstance(result.detail, StepDetail) or not result.detail.prompts:
        return None
    costs = [prompt.cost for prompt in result.detail.prompts]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _find_latency(result: Result[Any]) -> float | None:
    return result.seconds if result.outcome is not Outcome.ERRORED else None


def _measure_cost(cases: Sequence[Case[Any]]) -> Measurement | None:
    """Return the mean cost of a thousand steps, with the conversation as the unit of chance."""
    found = [
        [_THOUSAND * cost for one in case.results if (cost := find_cost(one)) is not None] for case in cases
    ]
    return clustered_mean(found, _CONFIDENCE) if any(found) else None


def _measure_percentile(values: Sequence[float], share: float) -> Measurement | None:
    """Return a percentile with the interval between two ordered values, whatever their distribution is."""
    value = percentile(values, share)
    if value is None:
        return None
    n, p = len(values), share / 100
    half = normal_quantile((1 + _CONFIDENCE) / 2) * sqrt(n * p * (1 - p))
    low, high = floor(n * p - half), ceil(n * p + half)
    ordered = sorted(values)
    interval = Interval(ordered[low - 1], ordered[high - 1]) if low >= 1 and high <= n else None
    return Measurement(value, n, interval, method=f"order-statistics:{_CONFIDENCE:g}")


def _count_format_errors(case: Case[Any]) -> tuple[int, int]:
    """Return how many answers of a case came in a wrong form, of how many."""
    known = [one.detail for one in case.results if isinstance(one.detail, StepDetail) and _is_answer(one)]
    return sum(_is_wrong_form(detail) for detail in known), len(known)


def _is_answer(result: Result[Any]) -> bool:
    return result.outcome is not Outcome.ERRORED or result.detail.explanation.provenance is Provenance.FORMAT


def _is_wrong_form(detail: StepDetail) -> bool:
    return bool(detail.unparsed) or detail.explanation.provenance is Provenance.FORMAT
