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

_NO_VERDICT = "no verdict"


@with_options(GateOptions)
def gate(options: GateOptions) -> ExitCode:
    """Fail when a run is worse than a baseline.

    Exit codes: 1 if accuracy has provably fallen by more than allowed, or a figure is too low; 3 if steps
    that errored could reverse the verdict; otherwise 0. If the data cannot tell, the gate says so and passes,
    or fails with --strict. Quality, protocol and metrics runs have several figures; the gate
    fails if any of them fell too far.

    Examples:
      du-eval gate --baseline main.json last --max-regression 0.02 --alpha 0.05

      du-eval gate --baseline 20260131-120000 --fail-under f1.set_slot=0.85 --strict

    """
    comparison, found = _judge(options)
    if options.json_output:
        from du_eval.reports.comparison_data import comparison_data

        head = {"gate": found.told, "outcome": found.result.outcome.value, "reason": found.reason}
        out({**head, "failed": found.low, **comparison_data(comparison)})
    else:
        from du_eval.reports.comparison_text import list_remarks

        for remark in list_remarks(comparison):
            say(remark)
        out("".join(f"gate failed: {reason}\n" for reason in found.low))
        reason = found.missing if found.told == _NO_VERDICT else found.result.reason
        told = f"compared with the baseline: {found.result.outcome}" if found.low else f"gate {found.told}"
        out(f"{told}{found.part}: {reason}\n")
    codes = {_NO_VERDICT: ExitCode.ERRORED, "failed": ExitCode.FAILED}
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
    from du_eval.runs.gates import find_too_many_errors, judge_comparison
    from du_eval.runs.outcome import Outcome
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
    missing = (
        _tell_parts(before, after)
        or find_too_many_errors(comparison, options.max_errors)
        or "; ".join(still_open)
        or (result.reason if result.is_by_errors else "")
    )
    is_unproven = options.strict and result.outcome is Outcome.UNDECIDED
    failed = bool(low) or result.outcome is Outcome.FAILED or is_unproven
    told = "failed" if failed else _NO_VERDICT if missing else result.outcome.value
    part = f" on {after.run.head.part}" if after.run and after.run.head.part else ""
    return comparison, _Ruling(told, result, low, missing, part)


def _tell_parts(baseline: Loaded, run: Loaded) -> str:
    """Return which of the runs is not whole; empty where both are."""
    for name, one in (("run", run), ("baseline", baseline)):
        if one.unfinished:
            return f"the {name} is not complete ({one.unfinished})"
    return ""
