"""From results to scores: accuracies, and precision, recall and F1 of each command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot, StartFlow
from du_eval.evaluation.compare import JudgingPolicy
from du_eval.evaluation.step import JudgedCase, JudgedStep
from du_eval.runs.outcome import Outcome
from du_eval.statistics.clusters import Clusters, clustered_proportion, proportion
from du_eval.statistics.counts import (
    Counts,
    LostSteps,
    averages,
    bound_averages,
    bound_command,
    pool_counts,
    sum_counts,
)
from du_eval.statistics.f1 import MACRO, MICRO, WEIGHTED, f1_intervals
from du_eval.statistics.f1 import METHOD as F1_METHOD
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.quantiles import summarise

CONFIDENCE = 0.95


class CommandScore(Struct, frozen=True, omit_defaults=True):
    """How well one command is predicted."""

    counts: Counts
    precision: Measurement
    recall: Measurement
    f1: Measurement


Unasked = Sequence[Sequence[Command]]
"""What the steps expect that were not asked because their run ended early."""


def measure_cases(cases: Sequence[JudgedCase], unasked: int = 0) -> Measurement:
    """Return the share of judged cases that passed."""
    found = Counter(case.outcome for case in cases)
    judged = len(cases) - found[Outcome.ERRORED]
    rate = proportion(found[Outcome.PASSED], judged, CONFIDENCE)
    return replace(rate, missing=found[Outcome.ERRORED] + unasked)


def measure_steps(cases: Sequence[JudgedCase], unasked: int = 0) -> Measurement:
    """Return the share of judged steps that passed."""
    found = clustered_proportion([_step_counts(case) for case in cases], CONFIDENCE)
    return replace(found, missing=sum(len(case.results) for case in cases) - found.n + unasked)


class CommandScores(Struct, frozen=True):
    """How well each command is predicted, and the averages of F1 over them."""

    commands: Mapping[str, CommandScore]
    averages: Mapping[str, Measurement]
    """Macro, micro and weighted F1 with their intervals and bounds."""
    skipped: int = 0
    """How many commands enter no average."""


def score_commands(cases: Sequence[JudgedCase], unasked: Unasked = ()) -> CommandScores:
    """Return how well the commands of a run are predicted."""
    clusters = [pool_counts([step.counts for step in case.results]) for case in cases]
    counts, lost = pool_counts(clusters), _lost(cases, unasked)
    intervals = f1_intervals(clusters, CONFIDENCE)
    return CommandScores(
        {
            name: _score(
                name, [case.get(name, Counts()) for case in clusters], intervals.commands.get(name), lost
            )
            for name in sorted({*counts, *lost.expected})
        },
        _averages(counts, intervals.averages, lost),
        averages(counts).skipped,
    )


def sum_quantities(steps: Sequence[JudgedStep]) -> dict[str, dict[str, dict[str, float]]]:
    """Return summaries of times and tokens, by component."""
    return {
        "latency": _by_component(steps, _latencies),
        "prompt tokens": _by_component(
            steps, lambda step: ((p.component or p.name, p.prompt_tokens) for p in step.detail.prompts)
        ),
        "completion tokens": _by_component(
            steps, lambda step: ((p.component or p.name, p.completion_tokens) for p in step.detail.prompts)
        ),
    }


def _lost(cases: Sequence[JudgedCase], unasked: Unasked) -> LostSteps:
    """Return what steps that were not judged expected."""
    errored = (step.detail.live.expected for case in cases for step in case.results_that(Outcome.ERRORED))
    return LostSteps.of([type(command).name for command in expected] for expected in (*errored, *unasked))


def _step_counts(case: JudgedCase) -> tuple[int, int]:
    passed = len(case.results_that(Outcome.PASSED))
    return passed, passed + len(case.results_that(Outcome.FAILED))


NameOf = Callable[[Command], str]
"""What a command is counted as; empty: not at all."""


def _name(command: Command) -> str:
    return type(command).name


def step_counts(steps: Sequence[JudgedStep], policy: JudgingPolicy) -> list[Mapping[str, Counts]]:
    """Return the counts of each step of a case; steps that were not judged count nothing."""
    is_passed = {step.outcome for step in steps} <= {Outcome.PASSED, Outcome.ERRORED}
    count = _all_right if is_passed and policy.takes_passed_cases_as_right else count_pairing
    return [{} if step.outcome is Outcome.ERRORED else count(step) for step in steps]


def count_pairing(step: JudgedStep, name: NameOf = _name) -> Mapping[str, Counts]:
    """Return the counts of one step: by the names of commands, or of what else is found in them."""
    diff = step.detail.live.diff
    matched = _names((expected for expected, _ in diff.matched), name)
    if diff.is_empty:
        return _right(tuple(sorted(matched.items())))
    missing, unexpected = _names(diff.missing, name), _names(diff.unexpected, name)
    return {
        one: Counts(matched[one], unexpected[one], missing[one], matched[one] + missing[one])
        for one in sorted({*matched, *missing, *unexpected})
    }


def count_flows(steps: Iterable[JudgedStep]) -> dict[str, Counts]:
    """Return how often each flow was started rightly, wrongly and not at all."""
    return _count(steps, lambda command: command.flow if isinstance(command, StartFlow) else "")


def slot_counts(steps: Iterable[JudgedStep]) -> dict[str, Counts]:
    """Return how often each slot was filled rightly, wrongly and not at all."""
    return _count(steps, lambda command: command.slot if isinstance(command, SetSlot) else "")


def _count(steps: Iterable[JudgedStep], name: NameOf) -> dict[str, Counts]:
    judged = [count_pairing(step, name) for step in steps if step.outcome is not Outcome.ERRORED]
    return dict(sorted(pool_counts(judged).items()))


def _all_right(step: JudgedStep) -> Mapping[str, Counts]:
    """Return the counts of a step in a case that the official tool calls passed."""
    return _right(tuple(_names(step.detail.live.expected, _name).items()))


@lru_cache(maxsize=1024)
def _right(names: tuple[tuple[str, int], ...]) -> Mapping[str, Counts]:
    """Return the counts of a step without mistakes; most steps share theirs with others."""
    return {name: Counts(tp=count, total=count) for name, count in names}


def _names(commands: Iterable[Command], name: NameOf) -> Counter[str]:
    return Counter(filter(None, map(name, commands)))


def _score(name: str, cases: Sequence[Counts], interval: Interval | None, lost: LostSteps) -> CommandScore:
    """Return how well a command is predicted, given its counts in each case and what was not judged."""
    counts = sum_counts(cases)
    f1 = Measurement(
        counts.f1, counts.tp + counts.fp + counts.fn, interval, method=f"{F1_METHOD}:{CONFIDENCE:g}"
    )
    precision: Clusters = [(case.tp, case.tp + case.fp) for case in cases]
    recall: Clusters = [(case.tp, case.tp + case.fn) for case in cases]
    worst, best = bound_command(counts, name, lost)
    missing = lost.answers
    return CommandScore(
        counts,
        _bound(clustered_proportion(precision, CONFIDENCE), worst.precision, best.precision, missing),
        _bound(
            clustered_proportion(recall, CONFIDENCE), worst.recall, best.recall, lost.expected.get(name, 0)
        ),
        _bound(f1, worst.f1, best.f1, missing),
    )


def _averages(
    counts: Mapping[str, Counts], intervals: Mapping[str, Interval], lost: LostSteps
) -> dict[str, Measurement]:
    """Return the averages of F1 over commands."""
    found, (worst, best) = averages(counts), bound_averages(counts, lost)
    n = sum(one.tp + one.fp + one.fn for one in counts.values())
    method, missing = f"{F1_METHOD}:{CONFIDENCE:g}", lost.answers
    return {
        name: _bound(
            Measurement(getattr(found, name), n, intervals.get(name), method=method),
            getattr(worst, name),
            getattr(best, name),
            missing,
        )
        for name in (MACRO, MICRO, WEIGHTED)
    }


def _bound(measured: Measurement, low: float | None, high: float | None, missing: int) -> Measurement:
    """Return a number with what it could be, whatever became of what is missing."""
    if not missing or low is None or high is None:
        return measured
    return replace(measured, missing=missing, possible=Interval(low, high))


def _latencies(step: JudgedStep) -> Iterator[tuple[str, float | None]]:
    yield "total", step.seconds
    yield from step.detail.latencies


def _by_component(
    steps: Iterable[JudgedStep], values_of: Callable[[JudgedStep], Iterable[tuple[str, float | int | None]]]
) -> dict[str, dict[str, float]]:
    """Return a summary by component; what was not measured does not enter as zero."""
    found: dict[str, list[float]] = {}
    for step in steps:
        for component, value in values_of(step):
            if value is not None and step.outcome is not Outcome.ERRORED:
                found.setdefault(component, []).append(float(value))
    return {component: summarise(values) for component, values in found.items()}
