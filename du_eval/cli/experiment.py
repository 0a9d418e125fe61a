"""`du-eval experiment`: several models, prompts or settings over one suite, and which of them to ship."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from du_eval.cli.edge import ending_politely, out, reporting_errors, say
from du_eval.cli.ending import print_view
from du_eval.cli.option_groups import with_options
from du_eval.cli.options_report import Html
from du_eval.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from du_eval.config import RunConfig
    from du_eval.experiments.arms import ExperimentPlan
    from du_eval.experiments.record import Experiment
    from du_eval.reports.sections import View


class ExperimentOptions:
    """Options that hold for all arms of an experiment."""

    samples: Annotated[
        int | None,
        typer.Option("--samples", help="Number of samples per case (default 1).", show_default=False),
    ] = None
    concurrency: Annotated[
        int | None,
        typer.Option(
            "-n", "--concurrency", help="Steps asked at once, over all arms (default 8).", show_default=False
        ),
    ] = None
    select: Annotated[
        str | None,
        typer.Option(
            "-k",
            metavar="EXPR",
            help="Only cases whose file::name fulfils an expression.",
            show_default=False,
        ),
    ] = None
    max_calls: Annotated[
        int | None,
        typer.Option("--max-calls", help="Maximum number of requests over all arms.", show_default=False),
    ] = None
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost", help="Stop when all arms together have spent this much.", show_default=False
        ),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option("--alpha", help="The chance of a wrong verdict (default 0.05).", show_default=False),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin", help="A difference that does not matter (default 0.02).", show_default=False
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The seed of verdicts and drawn cases (default 0).", show_default=False),
    ] = None
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="[RUN]",
            help="Continue an experiment (default: the last one); nothing is asked twice.",
            show_default=False,
        ),
    ] = None
    runs_dir: Annotated[
        str | None,
        typer.Option("--runs-dir", help="Where runs are kept (default .du-eval/runs).", show_default=False),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(
            "--label", help="A name for the experiment (default: that of the file).", show_default=False
        ),
    ] = None
    html: Html = None
    markdown: Annotated[
        str | None,
        typer.Option("--markdown", metavar="FILE", help="Write a Markdown report.", show_default=False),
    ] = None


@with_options(ExperimentOptions)
def experiment(
    file: Annotated[str, typer.Argument(help="A YAML file with the arms of the experiment.")],
    json_output: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Print only the decision and the arms.")
    ] = False,
    *,
    more: dict[str, Any],
) -> None:
    """Run several models, prompts or settings over one suite, and say which to ship.

    All arms are asked the same steps in turn, with one cache and one budget; each arm is kept as a run of its
    own. Exit codes: 0 decided or not, 2 wrong input, 3 not everything was asked, 130 interrupted.

    Examples:
      du-eval experiment examples/experiments/bank.yaml

      du-eval experiment models.yaml --samples 3 --max-cost 5 --html decision.html

      du-eval experiment models.yaml --resume

    """
    from du_eval.assembly.experiment_files import load_plan

    with reporting_errors():
        again = f"du-eval experiment {file}"
        code = run_experiment(load_plan(file), more, Wanted(json_output, quiet, again))
    raise typer.Exit(code)


@dataclass(frozen=True)
class Wanted:
    """What is printed of an experiment, and how it was called."""

    json_output: bool = False
    quiet: bool = False
    command: str = ""


def run_experiment(plan: ExperimentPlan, flags: Mapping[str, Any], wanted: Wanted) -> ExitCode:
    """Ask all arms, keep and print what they come to; return the exit code."""
    from du_eval.assembly.experiment import ask_arms, conclude_arms, open_runs, prepare
    from du_eval.assembly.experiment_files import serving
    from du_eval.cli.progress import Progress
    from du_eval.reports.views.experiment import view_experiment
    from du_eval.runs.record import Status

    ready = prepare(plan, flags, os.environ)
    for warning in ready.warnings:
        say(f"warning: {warning}")
    total = ready.session.questions * len(ready.arms)
    is_shown = not (wanted.quiet or wanted.json_output) and sys.stderr.isatty()
    with ending_politely(), serving(plan, ready.addresses), Progress(total, enabled=is_shown) as progress:
        ready = open_runs(ready)
        for note in ready.notes:
            say(f"note: {note}")
        outcomes = ask_arms(ready, progress.advance)
    found = conclude_arms(ready, outcomes, wanted.command)
    if ready.opened is not None:
        say(f"experiment {found.id} kept in {ready.opened.stored.folder}")
    _report(found, view_experiment(found, list(outcomes.runs.items())), ready.session.config, wanted)
    if outcomes.is_interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.ERRORED if found.status is not Status.FINISHED else ExitCode.PASSED


def _report(found: Experiment, view: View, config: RunConfig, wanted: Wanted) -> None:
    """Print an experiment, and write what was asked for."""
    from du_eval.reports.files import write
    from du_eval.reports.renderers.markdown import render_markdown
    from du_eval.reports.renderers.page import render_page

    if wanted.json_output:
        from du_eval.experiments.record import encode_experiment

        out(encode_experiment(found).decode())
    else:
        print_view(view, is_quiet=wanted.quiet)
    for path, text in (
        (config.html, render_page([view]) if config.html else ""),
        (config.markdown, render_markdown(view) if config.markdown else ""),
    ):
        if path:
            write(path, text)
            say(f"report written to {path}")
