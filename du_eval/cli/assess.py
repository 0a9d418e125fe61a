"""`du-eval assess`: how often a case passes, and in which ways it fails."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from du_eval.cli.edge import reporting_errors
from du_eval.cli.option_groups import with_options
from du_eval.cli.options_agent import AskingOptions, KeepingOptions, PrintingOptions, SelectingOptions
from du_eval.cli.options_report import ReportOptions


@with_options(SelectingOptions, AskingOptions, KeepingOptions, PrintingOptions, ReportOptions)
def assess(
    context: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="CASE...", help="Case files, folders, or FOLDER::NAME.", show_default=False),
    ] = None,
    *,
    more: dict[str, Any],
) -> None:
    """Take all samples of a case, and group its failures into modes.

    This is du-eval agent --all-samples, and a chat model (--model) names the modes; without one they are
    named by rules and similarity.

    Examples:
      du-eval assess examples/agents/ratio/opening_hours.hocon --samples 20

    """
    from du_eval.cli.agent_ending import run_to_the_end

    with reporting_errors():
        code = run_to_the_end(context, {"paths": paths, "all_samples": True, **more}, names_modes=True)
    raise typer.Exit(code)
