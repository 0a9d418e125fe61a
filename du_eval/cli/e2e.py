"""`du-eval e2e`: end-to-end tests, from files to a report and an exit code."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from du_eval.cli import options
from du_eval.cli.edge import out, reporting_errors, say
from du_eval.cli.more_reports import write_page
from du_eval.cli.option_groups import split, with_options
from du_eval.cli.options_model import ModelOptions, model_flags
from du_eval.cli.options_report import Html
from du_eval.errors import ExitCode

if TYPE_CHECKING:
    from du_eval.endtoend.results import EndToEndResult
    from du_eval.runs.budget import Budget

DEFAULT_PATH = "tests/e2e_test_cases.yml"


class JudgeOptions:
    """Options of assertions about generated answers."""

    judge_model: Annotated[
        str,
        typer.Option(
            "--judge-model",
            help="The chat model that judges generated answers; without one, texts are compared offline.",
            show_default=False,
        ),
    ] = ""
    judge_base_url: Annotated[
        str | None,
        typer.Option(
            "--judge-base-url",
            help="The endpoint of --judge-model (default: --base-url).",
            show_default=False,
        ),
    ] = None
    similarity: Annotated[
        str,
        typer.Option(
            "--similarity",
            help="How texts are compared: auto, tfidf, or a sentence-transformers model or folder.",
        ),
    ] = "auto"


@with_options(ModelOptions, JudgeOptions)
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
    skip_validation: options.SkipValidation = False,
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
    *,
    more: dict[str, Any],
) -> None:
    """Run end-to-end tests, report what went wrong.

    A generator understands each message, the engine answers, the steps are checked.

    Exit codes: 0 all passed, 1 some failed, 2 wrong input, 3 some cases could not be judged,
    5 nothing selected.

    Examples:
      du-eval e2e examples/bank/tests/e2e_test_cases.yml

      du-eval e2e tests/e2e --actions my_actions -g my_module:my_generator

      du-eval e2e tests/e2e -g llm --model my-model --judge-model my-other-model

    """
    from du_eval.assembly import settle
    from du_eval.reports.endtoend_data import endtoend_data
    from du_eval.reports.endtoend_text import endtoend_text
    from du_eval.reports.files import json_text, write, yaml_text
    from du_eval.staging import Judging, build_end_to_end

    flags = {
        "paths": paths or [DEFAULT_PATH],
        "generator": generator,
        "assistant": assistant,
        "syntax": syntax,
        "actions": actions,
        "action_endpoint": action_endpoint,
        "skip_validation": skip_validation or None,
        "select": expression,
        "concurrency": concurrency,
        "output_file": output_file,
        "output": False if no_output else None,
    }
    with reporting_errors():
        model_options, judging = split(more, ModelOptions, JudgeOptions)
        config = settle(flags | model_flags(model_options), os.environ).config
        judge = Judging(judging["judge_model"], judging["judge_base_url"], judging["similarity"])
        session = build_end_to_end(config, judge)
        for warning in session.warnings:
            say(f"warning: {warning}")
        result = session.runner.run(session.suite, session.generator_name)
        if session.budget.calls:
            say(_used(session.budget))
        data = endtoend_data(result, session.parser.syntax.print)
        out(json_text(data) if json_output else endtoend_text(result, session.parser.syntax.print))
        if config.output:
            target = config.output_file or f"e2e_test_{datetime.now().astimezone():%Y%m%d-%H%M%S}.yml"
            write(target, json_text(data) if target.endswith(".json") else yaml_text(data))
            say(f"report written to {target}")
        write_page(html, data, "end-to-end tests")
    raise typer.Exit(exit_code(result))


def _used(budget: Budget) -> str:
    """Return what the generator took, in words."""
    cost = f", cost {budget.cost:.4f}" if budget.cost else ""
    return f"{budget.calls} request{'s' if budget.calls > 1 else ''} sent{cost}"


def exit_code(result: EndToEndResult) -> ExitCode:
    """Return what the process tells its caller."""
    from du_eval.endtoend.results import Verdict

    if result.count(Verdict.ERRORED):
        return ExitCode.ERRORED
    return ExitCode.FAILED if result.count(Verdict.FAILED) else ExitCode.PASSED
