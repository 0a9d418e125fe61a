"""`du-eval experiment`: several models, prompts or settings over one suite, and which of them to ship."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import ending_politely, out, say
from du_eval.cli.ending import Showing, print_view, write_view
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ExitCode
from du_eval.settings.commands import TestSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from du_eval.experiments.arms import ExperimentPlan
    from du_eval.experiments.record import Experiment
    from du_eval.reports.sections import View


SHARED = (
    "samples", "concurrency", "select", "max_calls", "max_cost", "max_errors", "alpha", "margin", "race",
    "batch", "seed", "resume", "runs_dir", "journal", "label", "json_output", "quiet", "html", "markdown",
    "watch", "engine", "workers", "ray_address",
)  # fmt: skip
"""Settings of all arms that the command takes as flags; the file may have any."""


@with_settings(TestSettings, *SHARED)
def experiment(
    file: Annotated[str, typer.Argument(help="A YAML file with the arms of the experiment.")],
    given: Given,
) -> ExitCode:
    """Compare several models, prompts or settings on one suite, and decide which to ship.

    All arms are asked the same steps in turn, with one cache and one budget; each arm is kept as a run of its
    own. Exit codes: 0 finished, decided or not, 2 invalid input, 3 steps errored or were not asked, 130
    interrupted.

    Examples:
      du-eval experiment examples/experiments/bank.yaml

      du-eval experiment models.yaml --samples 3 --max-cost 5 --html decision.html

      du-eval experiment models.yaml --resume

      du-eval experiment models.yaml --watch

    """
    from du_eval.assembly.experiment_files import load_plan

    return run_experiment(load_plan(file), given, f"du-eval experiment {file}")


def run_experiment(plan: ExperimentPlan, flags: Mapping[str, object], command: str = "") -> ExitCode:
    """Ask all arms, keep and print what they come to; return the exit code."""
    from du_eval.assembly.experiment import ask_arms, conclude_arms, open_runs, prepare
    from du_eval.assembly.experiment_files import serving
    from du_eval.cli.progress import Progress
    from du_eval.reports.views.experiment import view_experiment
    from du_eval.runs.record import Status

    ready = prepare(plan, flags, os.environ)
    if ready.session.config.watch:
        from du_eval.cli.watching import find_words, watch

        folder = [Path(plan.file).parent] if plan.file else []
        watch(find_words(), [arm.session.config for arm in ready.arms], folder)
        return ExitCode.PASSED
    for warning in ready.warnings:
        say(f"warning: {warning}")
    config = ready.session.config
    total = ready.session.questions * len(ready.arms)
    is_shown = not (config.quiet or config.json_output) and sys.stderr.isatty()
    with ending_politely(), serving(plan, ready.addresses), Progress(total, enabled=is_shown) as progress:
        ready = open_runs(ready)
        for note in ready.notes:
            say(f"note: {note}")
        outcomes = ask_arms(ready, progress.advance)
    found = conclude_arms(ready, outcomes, command)
    if ready.opened is not None:
        say(f"experiment {found.id} kept in {ready.opened.stored.folder}")
    _report(found, view_experiment(found, list(outcomes.runs.items())), config)
    if outcomes.is_interrupted:
        return ExitCode.INTERRUPTED
    is_whole = found.status is Status.FINISHED and not found.missing
    return ExitCode.PASSED if is_whole else ExitCode.ERRORED


def _report(found: Experiment, view: View, config: TestSettings) -> None:
    """Print an experiment, and write what was asked for."""
    if config.json_output:
        from du_eval.experiments.record import encode_experiment

        out(encode_experiment(found).decode())
    else:
        print_view(view, Showing(is_quiet=config.quiet))
    write_view(view, config)
