"""`du-eval plan`: how many conversations, samples and calls a comparison needs."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import out, reporting_errors


def plan(
    detect: Annotated[
        float, typer.Option("--detect", min=0.001, max=0.9, help="The loss of accuracy that shall be found.")
    ],
    run: Annotated[
        str | None, typer.Argument(help="A run on the suite, for its lengths, correlation, time and cost.")
    ] = None,
    power: Annotated[
        float, typer.Option("--power", min=0.5, max=0.99, help="The wanted chance to find it.")
    ] = 0.8,
    steps: Annotated[
        float, typer.Option("--steps", min=1.0, max=1000.0, help="Steps of a conversation, without a run.")
    ] = 4.0,
    alpha: options_compare.Alpha = 0.05,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Say how many conversations and calls show a loss.

    The range goes from steps that change one by one with little noise to conversations that change as a whole
    with much of it. With a run, its lengths, its correlation, its time and its cost are taken.

    Examples:
      du-eval plan --detect 0.03

      du-eval plan --detect 0.02 last --power 0.9

    """
    from du_eval.assembly.history import load_any
    from du_eval.reports.files import json_text
    from du_eval.reports.sizing import Pilot, describe_pilot, sizing_data, sizing_text
    from du_eval.statistics.planning import Wish

    with reporting_errors():
        pilot = Pilot(steps)
        if run is not None:
            loaded = load_any(run, runs_dir)
            pilot = describe_pilot(loaded.record, loaded.run.head if loaded.run else None)
        wish = Wish(detect, alpha, power)
        out(json_text(sizing_data(wish, pilot)) if json_output else sizing_text(wish, pilot))
