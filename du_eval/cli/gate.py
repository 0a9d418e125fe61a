"""`du-eval gate`: whether a run may ship, given a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import out, reporting_errors, say
from du_eval.errors import ExitCode

if TYPE_CHECKING:
    from du_eval.runs.record import Run


def gate(
    baseline: Annotated[
        str,
        typer.Option("--baseline", help="The run to measure against: a report (.json), an id or a folder."),
    ],
    run: Annotated[str, typer.Argument(help="The run that wants to ship.")] = "last",
    max_regression: Annotated[
        float, typer.Option("--max-regression", min=0.0, max=1.0, help="By how much accuracy may fall.")
    ] = 0.02,
    fail_under: Annotated[
        str | None,
        typer.Option("--fail-under", metavar="FIGURES", help="Least figures as well: f1.set_slot=0.85."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail unless it is proven that accuracy did not fall too far.")
    ] = False,
    max_errors: Annotated[
        float,
        typer.Option(
            "--max-errors",
            min=0.0,
            max=1.0,
            help="Share of steps errored or not asked above which no verdict.",
        ),
    ] = 0.05,
    alpha: options_compare.Alpha = 0.05,
    seed: options_compare.Seed = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Fail when a run is worse than a baseline.

    Exit code 1 when it is proven that accuracy fell by more than is allowed, or when a figure is too low; 3
    when steps that errored could reverse the verdict; else 0. When the data cannot tell, that is said; with
    --strict it fails as well. Runs of quality tests, of the protocol and of metrics have several figures: one
    that fell too far is enough.

    Examples:
      du-eval gate --baseline main.json last --max-regression 0.02 --alpha 0.05

      du-eval gate --baseline 20260131-120000 --fail-under f1.set_slot=0.85 --strict

    """
    from du_eval.assembly.history import load_any
    from du_eval.reports.comparison_text import list_remarks
    from du_eval.runs.comparison import compared
    from du_eval.runs.figures import Met, check_thresholds, judge_thresholds, parse_thresholds
    from du_eval.runs.gates import GateOutcome, find_too_many_errors, gated
    from du_eval.statistics.verdict import Criteria

    with reporting_errors():
        wanted = parse_thresholds(fail_under) if fail_under else ()
        before, after = load_any(baseline, runs_dir), load_any(run, runs_dir)
        comparison = compared(before.record, after.record, Criteria(alpha, max_regression, seed))
        figures = after.figures(comparison)
        check_thresholds(wanted, [one.name for one in figures])
        result = gated(comparison, max_regression)
        judged = judge_thresholds(figures, wanted)
        low = [one.reason for one in judged if one.met is Met.NO]
        still_open = [f"{one.reason}: that could be reversed" for one in judged if one.met is Met.OPEN]
        why = find_too_many_errors(comparison, max_errors) or "; ".join(still_open)
        missing = _tell_parts(before.run, after.run) or why
        if result.is_by_errors:
            missing = missing or result.reason
        failed = bool(low) or result.outcome is GateOutcome.FAILED
        failed = failed or (strict and result.outcome is GateOutcome.UNDECIDED)
        told = "no verdict" if missing and not failed else "failed" if failed else result.outcome.value
        if json_output:
            from du_eval.reports.comparison_data import comparison_data
            from du_eval.reports.files import json_text

            head = {"gate": told, "outcome": result.outcome.value}
            out(
                json_text(
                    {**head, "reason": missing or result.reason, "missed": low, **comparison_data(comparison)}
                )
            )
        else:
            for remark in list_remarks(comparison):
                say(remark)
            out("".join(f"gate failed: {reason}\n" for reason in low))
            reason = missing if told == "no verdict" else result.reason
            part = f" on {after.run.head.part}" if after.run and after.run.head.part else ""
            out(f"gate {told if not low else result.outcome.value}{part}: {reason}\n")
    code = ExitCode.ERRORED if told == "no verdict" else ExitCode.FAILED if failed else ExitCode.PASSED
    raise typer.Exit(code)


def _tell_parts(baseline: Run[Any, Any] | None, run: Run[Any, Any] | None) -> str:
    """Return which of the runs is not whole; empty where both are."""
    for name, one in (("run", run), ("baseline", baseline)):
        if one is not None and one.unfinished:
            return f"the {name} is not whole ({one.unfinished})"
    return ""
