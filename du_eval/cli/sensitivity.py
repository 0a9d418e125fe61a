"""`du-eval sensitivity`: how much a generator depends on the words of a schema."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import out, reporting_errors


def sensitivity(
    runs: Annotated[
        list[str], typer.Argument(help="Two or more runs over the same dialogues: reports or ids.")
    ],
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Measure how much the joint goal depends on the words of a schema.

    Each run tests the same dialogues with another wording of the schema (SGD-X). The figure is the mean over
    frames of the standard deviation of the joint goal by its mean: 0 where the words do not matter.

    Examples:
      du-eval sensitivity v1.json v2.json v3.json v4.json v5.json

    """
    from du_eval.assembly.loading import load_run
    from du_eval.errors import ConfigError
    from du_eval.evaluation.sensitivity import measure_sensitivity
    from du_eval.reports.goals import joint_goals_in

    with reporting_errors():
        if len(runs) < 2:
            raise ConfigError("name at least two runs: the sensitivity is how much they differ")
        found = measure_sensitivity([joint_goals_in(load_run(run, runs_dir).data, run) for run in runs])
        if found.value is None:
            raise ConfigError("these runs have no frame in common: test the same dialogues in each of them")
        for run, mean in zip(runs, found.means, strict=True):
            out(f"joint goal accuracy {mean:.3f}  {run}\n")
        out(f"mean {sum(found.means) / len(found.means):.3f}\n")
        out(f"schema sensitivity {found.value:.3f} (n={found.n} frames, {len(runs)} runs; lower is better)\n")
