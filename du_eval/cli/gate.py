"""`du-eval gate`: whether a run may ship, given a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from du_eval.cli.edge import out, say
from du_eval.cli.generated import with_options
from du_eval.errors import ExitCode
from du_eval.settings.reading import GateOptions

if TYPE_CHECKING:
    from du_eval.assembly.history import Loaded
    from du_eval.runs.comparison import Comparison
    from du_eval.runs.gates import GateResult


@with_options(GateOptions)
def gate(options: GateOptions) -> ExitCode:
    """Fail when a run is worse than a baseline.

    Exit codes: 1 if accuracy has provably fallen by more than is allowed, or a figure is too low; 3 if steps
    errored or were not asked (--max-errors allows a share of them, as long as they cannot reverse the
    verdict); otherwise 0. If the data cannot tell, the gate says so and passes, or fails with --strict.
    Quality, protocol and metrics runs have several figures; if one of them fell too far, the gate fails.

    Examples:
      du-eval gate --baseline main.json last --max-regression 0.02 --alpha 0.05

      du-eval gate --baseline 20260131-120000 --fail-under f1.set_slot=0.85 --strict

    """
    from du_eval.runs.ruling import NO_VERDICT

    comparison, found = _judge(options)
    if options.json_output:
        from du_eval.reports.comparison_data import comparison_data

        head = {"gate": found.told, "outcome": found.result.outcome.value, "reason": found.reason}
        out({**head, "failed": found.low, **comparison_data(comparison)})
    else:
        from du_eval.reports.comparison_text import list_remarks

        for remark in list_remarks(comparison):
            say(remark)
        is_failed = found.told == "failed"
        out("".join(f"gate{'' if is_failed else ', so far'} failed: {reason}\n" for reason in found.low))
        is_compared = is_failed and found.low
        told = f"compared with the baseline: {found.result.outcome}" if is_compared else f"gate {found.told}"
        out(f"{told}{found.part}: {found.reason}\n")
    codes = {NO_VERDICT: ExitCode.ERRORED, "failed": ExitCode.FAILED}
    return codes.get(found.told, ExitCode.PASSED)


class _Ruling(Struct, frozen=True):
    """What a gate comes to."""

    told: str
    result: GateResult
    low: list[str]
    """Figures below their thresholds."""
    missing: str
    """Why there can be no verdict; empty if nothing is in the way."""
    part: str = ""
    """Which part of a suite was asked, where it was not all of it."""

    @property
    def reason(self) -> str:
        return self.missing or self.result.reason


def _judge(options: GateOptions) -> tuple[Comparison, _Ruling]:
    from du_eval.assembly.history import load_any
    from du_eval.reports.official import count_alike
    from du_eval.runs.comparison import compare_runs
    from du_eval.runs.figures import check_thresholds, judge_thresholds, parse_thresholds
    from du_eval.runs.gates import judge_comparison
    from du_eval.runs.outcome import Outcome
    from du_eval.runs.ruling import NO_VERDICT
    from du_eval.statistics.verdict import Criteria

    wanted = parse_thresholds(options.fail_under) if options.fail_under else ()
    before, after = (load_any(name, options.runs_dir) for name in (options.baseline, options.run))
    criteria = Criteria(options.alpha, options.max_regression, options.seed)
    first, second = count_alike([before.record, after.record])
    comparison = compare_runs(first, second, criteria)
    figures = after.figures(comparison)
    check_thresholds(wanted, [one.name for one in figures])
    result = judge_comparison(comparison, options.max_regression)
    judged = judge_thresholds(figures, wanted)
    low = [one.reason for one in judged if one.met is Outcome.FAILED]
    still_open = [f"{one.reason}: that could be reversed" for one in judged if one.met is Outcome.UNDECIDED]
    still_open += [result.reason] if result.is_by_errors else []
    is_unproven = options.strict and result.outcome is Outcome.UNDECIDED and not still_open
    failed = bool(low) or result.outcome is Outcome.FAILED or is_unproven
    missing = _tell_missing(before, after, comparison, options.max_errors)
    missing = missing or ("" if failed else "; ".join(still_open))
    told = NO_VERDICT if missing else "failed" if failed else result.outcome.value
    part = f" on {after.run.head.part}" if after.run and after.run.head.part else ""
    return comparison, _Ruling(told, result, low, missing, part)


def _tell_missing(baseline: Loaded, run: Loaded, comparison: Comparison, most: float) -> str:
    """Return what was not asked or errored in either run, where a verdict needs it; empty otherwise."""
    from du_eval.runs.gates import find_unasked

    for name, one in (("run", run), ("baseline", baseline)):
        if why := one.record.unfinished:
            return f"the {name} is not complete ({why})"
    lacks = (
        run.find_errors(),
        baseline.find_errors(" of the baseline"),
        find_unasked(comparison.overlap, comparison.after.unit),
    )
    return next(filter(None, (one.tell(most) for one in lacks)), "")
