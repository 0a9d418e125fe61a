"""What a run comes to for its caller: an exit code, and why."""

from __future__ import annotations

from math import ceil

from msgspec import Struct

from du_eval.errors import ExitCode, tell_count
from du_eval.runs.figures import judge_thresholds, parse_thresholds
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun, Status

VERDICT = "verdict"
"""The setting of a run against another one that says what it comes to."""
ASKED = "asked"
"""The setting of a run against another one that says how much was asked, where it ended early."""
NO_VERDICT = "no verdict"
_NAMED = 3
"""How many cases a message names."""
_WORST_FIRST = (ExitCode.FAILED, ExitCode.ERRORED, ExitCode.PASSED)


class Missing(Struct, frozen=True):
    """What a verdict lacks: how many of all, and in which cases."""

    what: str
    count: int
    total: int
    cases: tuple[str, ...]

    def tell(self, most: float) -> str:
        """Return why there is no verdict, and what would allow one; empty where so large a share may lack."""
        if not self.count or self.count <= most * self.total:
            return ""
        share = ceil(1000 * self.count / self.total) / 1000
        names = list(dict.fromkeys(self.cases))
        more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
        where = f" ({', '.join(names[:_NAMED] + more)})" if names else ""
        return f"{self.count} of {self.total} {self.what}{where}; --max-errors {share:g} would allow that"


def find_errors(run: AnyRun, whose: str = "") -> Missing:
    """Return what errored in a run."""
    names = tuple(case.id for case in run.cases for _ in case.results_that(Outcome.ERRORED))
    total = run.totals.items if run.totals else sum(len(case.results) for case in run.cases)
    is_sampled = any(result.key.sample > 1 for case in run.cases for result in case.results)
    what = f"samples of {run.head.unit}" if is_sampled else run.head.unit
    return Missing(f"{what}{whose} errored", run.count_results()[Outcome.ERRORED], total, names)


class Ruling(Struct, frozen=True):
    """What the process tells its caller."""

    code: ExitCode
    reasons: tuple[str, ...] = ()
    """What the gates say, a line each."""


def rule(run: AnyRun, fail_under: str | None = None, max_errors: float = 0.0) -> Ruling:
    """Return what a run comes to; gates have no verdict on one that is not whole, or errored too often."""
    is_interrupted = run.head.status is Status.INTERRUPTED
    verdict = run.head.settings.get(VERDICT)
    if fail_under is None and verdict is None:
        return Ruling(ExitCode.INTERRUPTED if is_interrupted else _judge_cases(run))
    told = find_errors(run).tell(max_errors)
    missing = f" on an incomplete run ({run.unfinished})" if run.unfinished else told and f": {told}"
    ruled = [_rule_verdict(verdict, missing)] if verdict is not None else []
    ruled += [_rule_figures(run, fail_under, missing)] if fail_under is not None else []
    code = next(code for code in _WORST_FIRST if code in {one.code for one in ruled})
    return Ruling(
        ExitCode.INTERRUPTED if is_interrupted else code,
        tuple(reason for one in ruled for reason in one.reasons),
    )


def _judge_cases(run: AnyRun) -> ExitCode:
    """Return the exit code of a run that no gate decides about."""
    cases = run.count_cases()
    if run.head.decides and cases[Outcome.FAILED] and not run.open_results:
        return ExitCode.FAILED
    is_open = cases[Outcome.ERRORED] or cases[Outcome.UNDECIDED]
    if run.unfinished or run.open_results or (run.head.decides and is_open):
        return ExitCode.ERRORED
    counts = run.count_results()
    is_judged = counts[Outcome.PASSED] or counts[Outcome.FAILED]
    if not is_judged and (run.head.decides or counts[Outcome.UNDECIDED]):
        return ExitCode.ERRORED
    return ExitCode.PASSED


def _rule_verdict(verdict: str, missing: str) -> Ruling:
    """Return what the comparison with another run comes to, which the run was asked for."""
    codes = {"regressed": ExitCode.FAILED, NO_VERDICT: ExitCode.ERRORED}
    code = ExitCode.ERRORED if missing else codes.get(verdict, ExitCode.PASSED)
    told = f"compared with the baseline: {NO_VERDICT if missing else verdict}{missing}"
    return Ruling(code, () if code is ExitCode.PASSED else (told,))


def _rule_figures(run: AnyRun, fail_under: str, missing: str) -> Ruling:
    judged = judge_thresholds(run.figures, parse_thresholds(fail_under))
    if early := run.head.settings.get(ASKED):
        missing = missing or f": --against ended the run after {early}"
    if missing:
        so_far = (f"gate, so far {one.met}: {one.reason}" for one in judged)
        return Ruling(ExitCode.ERRORED, (*so_far, f"gate: no verdict{missing}"))
    found = {one.met for one in judged}
    if found == {Outcome.PASSED}:
        return Ruling(ExitCode.PASSED, (f"gate passed{_tell_part(run)}{_tell_open(run)}: {fail_under}",))
    told = {
        Outcome.FAILED: f"gate failed{_tell_part(run)}",
        Outcome.UNDECIDED: "gate: no verdict, because what was not judged could reverse it",
    }
    reasons = tuple(f"{told[one.met]}: {one.reason}" for one in judged if one.met in told)
    return Ruling(ExitCode.FAILED if Outcome.FAILED in found else ExitCode.ERRORED, reasons)


def _tell_open(run: AnyRun) -> str:
    counts = run.count_results()
    count = counts[Outcome.ERRORED] + counts[Outcome.UNDECIDED]
    return f", even with {tell_count(count, 'unjudged result')} counted as failed" if count else ""


def _tell_part(run: AnyRun) -> str:
    part = run.head.part
    return f" on {part}{' (du-eval merge gates all of them)' * part.endswith('shards')}" if part else ""
