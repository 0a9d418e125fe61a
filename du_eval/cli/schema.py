"""`du-eval schema`: the JSON schemas of all files that people write, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from du_eval.cli.edge import out, say

_ALL = "all"


def schema(
    name: Annotated[
        str,
        typer.Argument(help="suite, config, quality-config, quality-facts, agent-case, or all."),
    ] = "suite",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", "--output", help="Write to a file (all: a folder) instead of standard output."
        ),
    ] = None,
) -> None:
    """Print the JSON schema of a kind of file, for editors.

    Put this line at the top of a YAML file to have an editor complete and check it:

    # yaml-language-server: $schema=du-eval.schema.json

    Examples:
      du-eval schema -o du-eval.schema.json

      du-eval schema config

      du-eval schema all --out schemas

    """
    from du_eval.assembly.schemas import SCHEMAS, find_schema
    from du_eval.errors import ConfigError
    from du_eval.reports.files import json_text, write

    if name == _ALL and output is None:
        raise ConfigError("all schemas need a folder: du-eval schema all --out schemas")
    if output is None:
        out(find_schema(name))
    elif name == _ALL:
        for one in SCHEMAS:
            write(output / f"{one}.schema.json", json_text(find_schema(one)))
            say(f"schema written to {output / f'{one}.schema.json'}")
    else:
        write(output, json_text(find_schema(name)))
        say(f"schema written to {output}")
