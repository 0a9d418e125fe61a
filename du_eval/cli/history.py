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
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind", help="Only runs of test, e2e, quality, protocol, metrics or agent.", show_default=False
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option("--label", help="Only runs with this label.", show_default=False)
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option("--suite", help="Only runs whose suite has this in its paths.", show_default=False),
    ] = None,
    last: Annotated[int, typer.Option("--last", min=1, help="Only the last so many runs.")] = 30,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write a plot (.svg).", show_default=False)
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Show how the figures of kept runs developed.

    Each activity and each suite has a table of its own, with what changed from run to run: model, prompt,
    commit, suite. Runs of another version of a suite are not compared. --runs-dir names a folder with runs or
    reports.
    Name runs with du-eval test --label "new prompt".

    Examples:
      du-eval history

      du-eval history --figure f1.set_slot --figure accuracy -o trend.svg

      du-eval history --runs-dir nightly --kind agent

      du-eval history --suite tests/bank --label nightly

    """
    from du_eval.assembly.activities import Kinds
    from du_eval.assembly.history import summarise_runs as kept
    from du_eval.errors import InputError
    from du_eval.reports.files import json_text, write
    from du_eval.reports.trend import trend_svg, trend_text, trends_of

    with reporting_errors():
        if kind is not None and kind not in Kinds():
            raise InputError(f"there are no runs of '{kind}' (known are: {', '.join(Kinds())})")
        runs = [
            run
            for run in kept(runs_dir, _warn)
            if (kind is None or run.get("kind", "test") == kind)
            and (label is None or run.get("label") == label)
            and (suite is None or suite in str(run.get("suite", "")))
        ][-last:]
        trends = trends_of(runs, figures or ())
        if json_output:
            out(json_text({"runs": runs}))
        elif not runs:
            out("no runs are kept yet: du-eval test keeps them in .du-eval/runs\n")
        else:
            out(trend_text(trends))
        if output is not None:
            write(output, trend_svg(trends))
            say(f"plot written to {output}")


def _warn(message: str) -> None:
    say(f"warning: {message}")
