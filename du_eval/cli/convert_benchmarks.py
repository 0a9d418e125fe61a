"""`du-eval convert sgd|multiwoz|intents|bfcl`: public benchmarks into suites with their assistants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out, reporting_errors, say

if TYPE_CHECKING:
    from du_eval.conversion.services import Converted

Source = Annotated[Path, typer.Argument(help="The data: a folder or a file.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="A new folder for suite and assistant.")]


def register_benchmarks(app: typer.Typer) -> None:
    """Add the commands for benchmarks to the group."""
    for command in (sgd, multiwoz):
        app.command()(command)


def sgd(
    source: Source,
    output: Output,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", help="The same schema in other words (SGD-X); default: schema.json."),
    ] = None,
) -> None:
    """Convert a split of Schema-Guided Dialogue: services into flows and slots, dialogues into cases.

    Examples:
      du-eval convert sgd dstc8-schema-guided-dialogue/dev -o sgd_dev

      du-eval convert sgd dstc8-schema-guided-dialogue/dev --schema sgd_x/v5/dev/schema.json -o sgd_dev_v5

    """
    from du_eval.conversion.services import convert_services

    with reporting_errors():
        _tell(convert_services(source, output, schema), output)


def multiwoz(source: Source, output: Output) -> None:
    """Convert MultiWOZ 2.2: services into flows and slots, dialogues into cases.

    Examples:
      du-eval convert multiwoz MultiWOZ_2.2 -o multiwoz

    """
    from du_eval.conversion.services import convert_services

    with reporting_errors():
        _tell(convert_services(source, output, none_ends=False), output)


def _tell(converted: Converted, folder: Path) -> None:
    for note in converted.notes:
        say(f"note: {note}")
    out(
        f"{converted.cases} cases with {converted.steps} user steps in {folder} "
        f"({converted.files} test files); run them with: du-eval test {folder}\n"
    )
