"""`du-eval schema`: the JSON schema of test files, for editors."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli.edge import out, reporting_errors, say


def schema(
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write to a file instead of standard output.")
    ] = None,
) -> None:
    """Print the JSON schema of test files, for editors.

    Put this line on top of a test file to have an editor check it:
    # yaml-language-server: $schema=du-eval.schema.json

    Examples:
      du-eval schema -o du-eval.schema.json

    """
    from du_eval.reports.files import json_text, write
    from du_eval.suites.schema import json_schema

    text = json_text(json_schema())
    with reporting_errors():
        if output is None:
            out(text)
        else:
            write(output, text)
            say(f"schema written to {output}")
