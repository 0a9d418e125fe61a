"""`du-eval history`: figures from run to run."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import out, reporting_errors, say


def history(
    figures: Annotated[
        list[str] | None,
        typer.Option(
            "--figure",
            help="Which figure: accuracy, f1.macro, recall.set_slot, ... Repeatable.",
            show_default=False,
        ),
    ] = None,
    last: Annotated[int, typer.Option("--last", min=1, help="Only the last so many runs.")] = 30,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write a plot (.svg).", show_default=False)
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Show how the figures of kept runs developed.

    Name runs with du-eval test --label "new prompt".

    Examples:
      du-eval history

      du-eval history --figure f1.set_slot --figure accuracy -o trend.svg

    """
    from du_eval.assembly.loading import history as kept
    from du_eval.errors import InputError, did_you_mean
    from du_eval.reports.files import json_text, write
    from du_eval.reports.trend import trend_svg, trend_text

    with reporting_errors():
        runs = kept(runs_dir)[-last:]
        wanted = figures or ["accuracy", "accuracy.cases", "f1.macro"]
        known = {name for run in runs for name in run.get("figures", {})}
        for name in wanted if runs else ():
            if name not in known:
                hint = did_you_mean(name, known) or f"known are: {', '.join(sorted(known))}"
                raise InputError(f"no run has the figure '{name}'; {hint}")
        if json_output:
            out(json_text({"runs": runs}))
        elif not runs:
            out("no runs are kept yet: du-eval test keeps them in .du-eval/runs\n")
        else:
            out(trend_text(runs, wanted))
        if output is not None:
            write(output, trend_svg(runs, wanted))
            say(f"plot written to {output}")
