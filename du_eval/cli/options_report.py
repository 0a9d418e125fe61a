"""Options of the reports that a run may write, besides its report file."""

from __future__ import annotations

from typing import Annotated, ClassVar

import typer

Html = Annotated[
    str | None,
    typer.Option("--html", metavar="FILE", help="Write the result as an HTML page.", show_default=False),
]


class ReportOptions:
    """Options of commands that report a run."""

    panel_name: ClassVar[str] = "Reports and gate"

    label: Annotated[
        str | None,
        typer.Option("--label", help="A name of this run for reports: 'new prompt'.", show_default=False),
    ] = None
    html: Html = None
    junitxml: Annotated[
        str | None,
        typer.Option("--junitxml", metavar="FILE", help="Write a JUnit report.", show_default=False),
    ] = None
    markdown: Annotated[
        str | None,
        typer.Option("--markdown", metavar="FILE", help="Write a Markdown report.", show_default=False),
    ] = None
    fail_under: Annotated[
        str | None,
        typer.Option(
            "--fail-under",
            metavar="FIGURES",
            help="Least figures that decide about the exit code: accuracy=0.9,f1.set_slot=0.85.",
            show_default=False,
        ),
    ] = None


class EndOptions:
    """Options of every command that ends with a run, besides those of its reports."""

    panel_name: ClassVar[str] = "Reports and gate"

    runs_dir: Annotated[
        str | None,
        typer.Option("--runs-dir", help="Where runs are kept (default .du-eval/runs).", show_default=False),
    ] = None
    output_file: Annotated[
        str | None,
        typer.Option(
            "--output-file",
            metavar="FILE",
            help="Write a report: .json (the whole run), .md, .html, .xml or .xlsx.",
            show_default=False,
        ),
    ] = None
    json_output: Annotated[bool, typer.Option("--json", help="Print the whole run as JSON.")] = False


class DetailOptions:
    """The option of commands that print only the figures unless more is asked for."""

    panel_name: ClassVar[str] = "Reports and gate"

    details: Annotated[bool, typer.Option("--details", help="Print each reply that did not pass.")] = False
