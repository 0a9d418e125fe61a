"""`du-eval config`: the settings that hold, and where they come from."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from du_eval.cli import options
from du_eval.cli.edge import out, reporting_errors

app = typer.Typer(help="Show the settings that hold, and their origin.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Show the settings that hold, and their origin."""


@app.command()
def show(
    paths: options.Paths = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print each setting with its value and its origin: flag, environment, file or default.

    Examples:
      du-eval config show

      du-eval config show my_tests --json

    """
    from du_eval.assembly import settle
    from du_eval.reports.files import json_text
    from du_eval.trust.effects import NOTHING

    with reporting_errors():
        settled = settle({"paths": paths}, os.environ, uses=NOTHING)
        values = settled.config.model_dump()
        if json_output:
            rows = {key: {"value": value, "origin": settled.origins[key]} for key, value in values.items()}
            out(json_text(rows))
            return
        width = max(len(key) for key in values)
        for key, value in values.items():
            out(f"{key:{width}}  {value!s:40}  ({settled.origins[key]})\n")
