"""What repeated samples, budgets and caches add to a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from du_eval.evaluation.results import CaseResult, RunResult, StepResult
from du_eval.evaluation.sampling import Repeated, Repeats, repeated_data
from du_eval.reports.text import measured, one_line
from du_eval.runs.outcome import Outcome
from du_eval.statistics.success import Chances

_FLAKY_SHOWN = 20


def repeat_lines(repeats: Repeats) -> Iterator[str]:
    """Yield the lines about repeated samples."""
    for what, chances in (("steps", repeats.step_chances), ("test cases", repeats.case_chances)):
        yield from _chance_lines(what, chances)
    flaky = repeats.flaky_steps
    chances = repeats.step_chances
    yield ""
    yield (
        f"{chances.mixed} of {len(repeats.steps)} steps are flaky: "
        f"they pass sometimes and fail sometimes in the {chances.asked} samples that each has"
    )
    for step in flaky[:_FLAKY_SHOWN]:
        yield f"  {step.passed}/{step.judged} passed  {step.place}  '{one_line(step.name)}'"
        yield f"      pass rate {measured(step.rate)}"
    if len(flaky) > _FLAKY_SHOWN:
        yield f"  ... and {len(flaky) - _FLAKY_SHOWN} more (the JSON report has all of them)"
    yield from _case_lines(repeats.cases)


def _chance_lines(what: str, chances: Chances) -> Iterator[str]:
    for chance in chances.by_k:
        any_of, all_of = chance.at_least_one, chance.all_of_them
        yield f"{what:10}  k={chance.k:<3} pass@k {any_of:.2f}  pass^k {all_of:.2f}  (n={chance.n})"
    if chances.omitted:
        yield f"{what:10}  {chances.omitted}"


def _case_lines(cases: Sequence[Repeated]) -> Iterator[str]:
    """Yield the cases whose samples disagree."""
    mixed = [case for case in cases if case.is_flaky]
    if mixed:
        yield ""
        yield f"{len(mixed)} of {len(cases)} test cases pass in some samples only:"
    for case in mixed[:_FLAKY_SHOWN]:
        ratio = f", needs {case.ratio}" if case.ratio else ""
        yield f"  {case.passed}/{case.judged} passed{ratio}  {one_line(case.name)}"


def samples_remark(case: CaseResult, step: StepResult) -> str:
    """Return how often a step failed, where it was asked more than once."""
    samples = case.samples_of(step.place.step)
    if len(samples) < 2:
        return ""
    failed = sum(sample.outcome is Outcome.FAILED for sample in samples)
    return f"failed in {failed} of {len(samples)} samples; this is sample {step.place.sample}"


def spent_line(run: RunResult) -> str:
    """Return what a run took, where that is more than time."""
    spent = run.spent
    parts = []
    if spent.retries:
        parts.append(f"{spent.retries} retries")
    if spent.cached:
        parts.append(f"{spent.cached} answers from the cache")
    if spent.reused:
        parts.append(f"{spent.reused} answers from the journal")
    if spent.cost is not None:
        parts.append(f"cost {spent.cost:.4f}")
    if not parts:
        return ""
    return f"{spent.calls} calls, " + ", ".join(parts)


def more_data(run: RunResult, repeats: Repeats | None) -> dict[str, Any]:
    """Return what is worth a place in a report file: samples, what was spent, and why a run stopped."""
    spent = run.spent
    data: dict[str, Any] = {
        "calls": spent.calls,
        "retries": spent.retries,
        "answers_from_cache": spent.cached,
        "answers_from_journal": spent.reused,
        "cost": spent.cost,
    }
    more: dict[str, Any] = {"spent": data}
    if run.stopped:
        more["stopped"] = run.stopped
    if repeats is not None:
        more["samples"] = run.samples
        more["repeats"] = dict(repeated_data(repeats))
    return more
