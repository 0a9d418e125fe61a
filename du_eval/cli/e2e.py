"""`du-eval e2e`: end-to-end tests, from files to a report and an exit code."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli import options
from du_eval.cli.edge import out, reporting_errors, say
from du_eval.cli.more_reports import write_page
from du_eval.cli.options_report import Html
from du_eval.errors import ExitCode

if TYPE_CHECKING:
    from du_eval.endtoend.results import EndToEndResult

DEFAULT_PATH = "tests/e2e_test_cases.yml"


def e2e(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"Files or folders with end-to-end tests, or file::case. Default: {DEFAULT_PATH}.",
            show_default=False,
        ),
    ] = None,
    generator: options.Generator = None,
    assistant: options.Assistant = None,
    syntax: options.Syntax = None,
    actions: options.Actions = None,
    action_endpoint: options.ActionEndpoint = None,
    expression: options.Expression = None,
    concurrency: Annotated[
        int | None,
        typer.Option("-n", "--concurrency", help="Cases run at once (default 8).", show_default=False),
    ] = None,
    output_file: Annotated[
        str | None,
        typer.Option(
            "--output-file", help="Where the report goes. Default: e2e_test_TIME.yml.", show_default=False
        ),
    ] = None,
    no_output: Annotated[bool, typer.Option("--no-output", help="Write no report file.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    html: Html = None,
) -> None:
    """Run end-to-end tests, report what went wrong.

    A generator understands each message, the engine answers, the steps are checked.

    Exit codes: 0 all passed, 1 some failed, 2 wrong input, 3 some cases could not be judged,
    5 nothing selected.

    Examples:
      du-eval e2e examples/bank/tests/e2e_test_cases.yml

      du-eval e2e tests/e2e --actions my_actions -g my_module:my_generator

    """
    from du_eval.assembly import settle
    from du_eval.reports.endtoend_data import endtoend_data
    from du_eval.reports.endtoend_text import endtoend_text
    from du_eval.reports.files import json_text, write, yaml_text
    from du_eval.staging import build_end_to_end

    flags = {
        "paths": paths or [DEFAULT_PATH],
        "generator": generator,
        "assistant": assistant,
        "syntax": syntax,
        "actions": actions,
        "action_endpoint": action_endpoint,
        "select": expression,
        "concurrency": concurrency,
        "output_file": output_file,
        "output": False if no_output else None,
    }
    with reporting_errors():
        config = settle(flags, os.environ).config
        session = build_end_to_end(config)
        for warning in session.warnings:
            say(f"warning: {warning}")
        result = session.runner.run(session.suite, session.generator_name)
        data = endtoend_data(result, session.parser.syntax.print)
        out(json_text(data) if json_output else endtoend_text(result, session.parser.syntax.print))
        if config.output:
            target = config.output_file or f"e2e_test_{datetime.now().astimezone():%Y%m%d-%H%M%S}.yml"
            write(target, json_text(data) if target.endswith(".json") else yaml_text(data))
            say(f"report written to {target}")
        write_page(html, data, "end-to-end tests")
    raise typer.Exit(exit_code(result))


def exit_code(result: EndToEndResult) -> ExitCode:
    """Return what the process tells its caller."""
    from du_eval.endtoend.results import Verdict

    if result.count(Verdict.ERRORED):
        return ExitCode.ERRORED
    return ExitCode.FAILED if result.count(Verdict.FAILED) else ExitCode.PASSED
