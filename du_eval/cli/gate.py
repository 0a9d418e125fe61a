"""`du-eval gate`: whether a run may ship, given a baseline."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import out, reporting_errors, say
from du_eval.errors import ExitCode


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
    alpha: options_compare.Alpha = 0.05,
    seed: options_compare.Seed = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Fail when a run is worse than a baseline.

    Exit code 1 when accuracy fell by more than is allowed and more than chance explains, or when a figure is
    too low; else 0. When the data cannot tell, that is said; with --strict it fails as well. Runs of quality
    tests, of the protocol and of metrics have several figures: one that fell too far is enough.

    Examples:
      du-eval gate --baseline main.json last --max-regression 0.02 --alpha 0.05

      du-eval gate --baseline 20260131-120000 --fail-under f1.set_slot=0.85 --strict

    """
    from du_eval.assembly.reported import load_reported
    from du_eval.evaluation.figures import figures_in, missed, thresholds_of
    from du_eval.reports.comparison_text import remarks
    from du_eval.runs.comparison import compared
    from du_eval.runs.gates import GateOutcome, compared_figures, gated
    from du_eval.statistics.verdict import Criteria

    with reporting_errors():
        before, after = load_reported(baseline, runs_dir), load_reported(run, runs_dir)
        comparison = compared(before.record, after.record, Criteria(alpha, max_regression, seed))
        figures = after.data.get("figures") or compared_figures(comparison)
        known = figures_in(after.data) if "figures" in after.data else list(figures)
        wanted = thresholds_of(fail_under, known) if fail_under else []
        result = gated(comparison, max_regression)
        low = missed(figures, wanted)
        failed = bool(low) or result.outcome is GateOutcome.FAILED
        failed = failed or (strict and result.outcome is GateOutcome.UNDECIDED)
        if json_output:
            from du_eval.reports.comparison_data import comparison_data
            from du_eval.reports.files import json_text

            told = {"gate": "failed" if failed else "passed", "outcome": result.outcome.value}
            out(json_text({**told, "reason": result.reason, "missed": low, **comparison_data(comparison)}))
        else:
            for remark in remarks(comparison):
                say(remark)
            out("".join(f"gate {'failed' if low else 'passed'}: {reason}\n" for reason in low))
            out(f"gate {'failed' if failed and not low else result.outcome.value}: {result.reason}\n")
    raise typer.Exit(ExitCode.FAILED if failed else ExitCode.PASSED)
