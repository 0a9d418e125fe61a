"""Options of the reports that a run may write, besides its report file."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import typer

from du_eval.runs.engine import EngineName, EngineSettings

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


class EngineOptions:
    """Where the work is done; the results are the same everywhere."""

    panel_name: ClassVar[str] = "Where the work is done"

    engine: Annotated[
        EngineName, typer.Option("--engine", help="Processes of this machine, or a Ray cluster.")
    ] = EngineName.LOCAL
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            help="Number of processes; default: one per core for large inputs.",
            show_default=False,
        ),
    ] = None
    ray_address: Annotated[
        str,
        typer.Option("--ray-address", help="auto or HOST:PORT of a cluster; empty: one on this machine."),
    ] = ""


def choose_engine(more: dict[str, Any]) -> EngineSettings:
    """Return the engine that options ask for, and take them out of the others."""
    found = EngineSettings(more.pop("engine"), more.pop("workers"), more.pop("ray_address"))
    found.check()
    return found


class DetailOptions:
    """The option of commands that print only the figures unless more is asked for."""

    panel_name: ClassVar[str] = "Reports and gate"

    details: Annotated[bool, typer.Option("--details", help="Print each reply that did not pass.")] = False
