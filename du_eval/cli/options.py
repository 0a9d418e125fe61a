"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files or folders with test cases, or file::case name. Default: dialogue_understanding_tests.",
        show_default=False,
    ),
]
Assistant = Annotated[
    str | None,
    typer.Option(
        "--assistant",
        help="The folder with flows and domain. Default: the one found next to the suite.",
        show_default=False,
    ),
]
Syntax = Annotated[
    str | None,
    typer.Option(
        "--syntax",
        help="The spelling of commands: calls (default), phrases, phrases-search, mantle, or a YAML file.",
        show_default=False,
    ),
]
AdditionalCommands = Annotated[
    list[str] | None,
    typer.Option(
        "--additional-commands",
        help="Class paths of custom commands, separated by blanks: my_module.MyCommand.",
        show_default=False,
    ),
]
RemoveDefaultCommands = Annotated[
    list[str] | None,
    typer.Option(
        "--remove-default-commands",
        help="Default commands to leave out, separated by blanks: CancelFlow.",
        show_default=False,
    ),
]
Generator = Annotated[
    str | None,
    typer.Option(
        "-g",
        "--generator",
        help="Who predicts: baseline (default), llm, rasa, http, recorded:FILE, or my_module:attribute.",
        show_default=False,
    ),
]
Actions = Annotated[
    str | None,
    typer.Option(
        "--actions",
        metavar="MODULE",
        help="A Python module with custom actions: classes with name() and run(), or functions.",
        show_default=False,
    ),
]
SkipValidation = Annotated[
    bool, typer.Option("--skip-validation", help="Only warn about problems of flows and domain.")
]
ActionEndpoint = Annotated[
    str | None,
    typer.Option(
        "--action-endpoint",
        metavar="URL",
        help="An action server that runs custom actions: http://localhost:5055/webhook.",
        show_default=False,
    ),
]
CheckFlows = Annotated[
    bool | None,
    typer.Option(
        "--check-flows/--no-check-flows",
        help="Check expected flows, slots and responses against the assistant (default: check).",
        show_default=False,
    ),
]
Expression = Annotated[
    str | None,
    typer.Option(
        "-k",
        metavar="EXPR",
        help="Only cases whose file::name fulfils an expression: 'cancel and not skip'.",
        show_default=False,
    ),
]
Deselect = Annotated[
    list[str] | None,
    typer.Option(
        "--deselect", help="Leave out a case (name, file or file::name). Repeatable.", show_default=False
    ),
]
