"""`du-eval agent`: run agent cases, or the example server."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from du_eval.cli.edge import reporting_errors
from du_eval.cli.option_groups import with_options
from du_eval.cli.options_agent import AskingOptions, KeepingOptions, PrintingOptions, SelectingOptions
from du_eval.cli.options_report import ReportOptions

SERVE = "serve-example"


@with_options(SelectingOptions, AskingOptions, KeepingOptions, PrintingOptions, ReportOptions)
def agent(
    context: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH...",
            help=f"Case files, folders, or FILE::NAME; '{SERVE}' starts the example server.",
            show_default=False,
        ),
    ] = None,
    all_samples: Annotated[
        bool, typer.Option("--all-samples", help="Take every sample, also when the case is decided.")
    ] = False,
    *,
    more: dict[str, Any],
) -> None:
    """Run agent cases (HOCON, YAML or JSON) and report what passed.

    Exit codes: 0 all passed, 1 some failed, 2 wrong input, 3 some could not be judged, 4 a report could not
    be written, 5 nothing selected, 130 interrupted.

    Examples:
      du-eval agent serve-example

      du-eval agent examples/agents

      du-eval agent cases/ -k "music and not slow" --server http://localhost:8080 --html report.html

      du-eval agent cases/ --fail-under passed.cases=0.9 --label "new prompt"

      du-eval agent --resume

    """
    from du_eval.cli.agent_ending import run_to_the_end
    from du_eval.cli.agent_options import AgentOptions, serve_example

    with reporting_errors():
        if paths and paths[0] == SERVE:
            serve_example(AgentOptions.of(more))
            return
        code = run_to_the_end(context, {"paths": paths, "all_samples": all_samples, **more})
    raise typer.Exit(code)
