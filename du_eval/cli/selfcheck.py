"""`du-eval selfcheck`: what the intervals and comparisons of one's own suite are worth."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import out, reporting_errors

_LOSSES = (0.01, 0.02, 0.05, 0.1)


def selfcheck(
    run: Annotated[str, typer.Argument(help="The run: a report (.json), an id or a folder.")] = "last",
    simulations: Annotated[
        int, typer.Option("--simulations", min=20, max=100_000, help="Number of simulated runs per figure.")
    ] = 400,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    seed: options_compare.Seed = 0,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Simulate your own suite: what its numbers are worth.

    Made-up runs have the conversations, the rate and the correlation of the run. Beside each rate stands how
    often its 95 % interval holds the truth on such runs; below, the chance that a comparison of two runs on
    this suite proves a loss.

    Examples:
      du-eval selfcheck last

      du-eval selfcheck before.json --simulations 2000 --json

    """
    from du_eval.assembly.history import load_any
    from du_eval.reports.files import json_text
    from du_eval.reports.sizing import check_run, selfcheck_data, selfcheck_text
    from du_eval.statistics.selfcheck import Simulation

    with reporting_errors():
        found = check_run(load_any(run, runs_dir).record, _LOSSES, Simulation(simulations, seed))
        out(json_text(selfcheck_data(found)) if json_output else selfcheck_text(found))
