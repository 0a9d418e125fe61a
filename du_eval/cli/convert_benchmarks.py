"""`du-eval convert sgd|multiwoz|intents|bfcl`: public benchmarks into suites with their assistants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out, say
from du_eval.errors import tell_count

if TYPE_CHECKING:
    from du_eval.conversion.suite_folder import Converted

Source = Annotated[Path, typer.Argument(help="The data: a folder or a file.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="A new folder for suite and assistant.")]


def register_benchmarks(app: typer.Typer) -> None:
    """Add the commands for benchmarks to the group."""
    for command in (sgd, multiwoz, intents, bfcl):
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

    _tell(convert_services(source, output, schema), output)


def multiwoz(source: Source, output: Output) -> None:
    """Convert MultiWOZ 2.2: services into flows and slots, dialogues into cases.

    Examples:
      du-eval convert multiwoz MultiWOZ_2.2 -o multiwoz

    """
    from du_eval.conversion.services import convert_services

    _tell(convert_services(source, output, none_ends=False), output)


def intents(
    source: Source,
    output: Output,
    out_of_scope: Annotated[
        str, typer.Option("--out-of-scope", help="Intent of messages that should start no flow.")
    ] = "oos",
) -> None:
    """Convert messages with their intents (JSON, JSON lines, CSV, TSV): each intent becomes a flow.

    Examples:
      du-eval convert intents banking77/test.csv -o banking

    """
    from du_eval.conversion.intents import convert_intents

    _tell(convert_intents(source, output, out_of_scope), output)


def bfcl(source: Source, output: Output) -> None:
    """Convert questions of the Berkeley Function-Calling Leaderboard: calls become commands.

    Examples:
      du-eval convert bfcl bfcl_eval/data -o bfcl

      du-eval convert bfcl bfcl_eval/data/BFCL_v4_multi_turn_base.json -o bfcl_base

    """
    from du_eval.conversion.bfcl import convert_bfcl

    _tell(convert_bfcl(source, output), output)


def _tell(converted: Converted, folder: Path) -> None:
    for note in converted.notes:
        say(f"note: {note}")
    out(
        f"{tell_count(converted.cases, 'case')} with {tell_count(converted.steps, 'user step')} in {folder} "
        f"({tell_count(converted.files, 'test file')}); run them with: du-eval test {folder}\n"
    )
