"""`du-eval e2e`: end-to-end tests, from files to a report and an exit code."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from du_eval.cli import options
from du_eval.cli.edge import ending_politely, reporting_errors, say
from du_eval.cli.option_groups import split, with_options
from du_eval.cli.options_model import ModelOptions, model_flags
from du_eval.cli.options_report import ReportOptions
from du_eval.errors import ExitCode

if TYPE_CHECKING:
    from du_eval.config import RunConfig
    from du_eval.endtoend.record import EndToEndRun
    from du_eval.endtoend.results import EndToEndResult
    from du_eval.runs.budget import Budget
    from du_eval.runs.keeping import OpenRun
    from du_eval.staging import EndToEndSession, Judging

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


class KeepOptions:
    """Options of where runs are kept, and which one goes on."""

    runs_dir: Annotated[
        str | None,
        typer.Option("--runs-dir", help="Where runs are kept (default .du-eval/runs).", show_default=False),
    ] = None
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="[RUN]",
            help="Continue a run (default: the last one); asks nothing twice.",
            show_default=False,
        ),
    ] = None


@with_options(ModelOptions, JudgeOptions, ReportOptions, KeepOptions)
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
            "--output-file",
            help="Write a report: .json (the whole run), .yml (official keys), .md, .html, .xml or .xlsx.",
            show_default=False,
        ),
    ] = None,
    no_output: Annotated[
        bool, typer.Option("--no-output", help="Write no report file, not even into the folder of the run.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print the whole run as JSON.")] = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="No details of failures, only the figures.")
    ] = False,
    *,
    more: dict[str, Any],
) -> None:
    """Run end-to-end tests, report what went wrong.

    A generator understands each message, the engine answers, the steps are checked.

    Exit codes: 0 all passed, 1 some failed, 2 wrong input, 3 some cases could not be judged,
    4 a report could not be written, 5 nothing selected, 130 interrupted.

    Examples:
      du-eval e2e examples/bank/tests/e2e_test_cases.yml

      du-eval e2e tests/e2e --actions my_actions -g my_module:my_generator

      du-eval e2e tests/e2e -g llm --model my-model --judge-model my-other-model

      du-eval e2e tests/e2e --fail-under accuracy.cases=0.9 --html report.html --label "new prompt"

      du-eval e2e --resume

    """
    from du_eval.assembly.keeping import settle_run
    from du_eval.endtoend.detail import KIND
    from du_eval.staging import Judging

    flags = {
        "paths": paths,
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
        "label": more["label"],
    }
    with reporting_errors():
        model_options, judging, reports, keeping = split(
            more, ModelOptions, JudgeOptions, ReportOptions, KeepOptions
        )
        if not paths and keeping["resume"] is None:
            flags["paths"] = [DEFAULT_PATH]
        _check_thresholds(reports["fail_under"])
        config = settle_run(flags | model_flags(model_options) | keeping, os.environ, KIND.name).config
        judge = Judging(judging["judge_model"], judging["judge_base_url"], judging["similarity"])
        run = _run(config, judge)
        code = _end(run, config, {**reports, "json_output": json_output, "quiet": quiet})
    raise typer.Exit(code)


def _check_thresholds(fail_under: str | None) -> None:
    """Raise where a gate names a figure that end-to-end tests do not have, before anybody is asked."""
    from du_eval.endtoend.record import PASSED_CASES
    from du_eval.runs.figures import check_thresholds, parse_thresholds

    if fail_under is not None:
        check_thresholds(parse_thresholds(fail_under), (PASSED_CASES,))


def _run(config: RunConfig, judge: Judging) -> EndToEndRun:
    """Run the cases, and keep what became of them."""
    from du_eval.assembly.endtoend_run import keep_endtoend, open_endtoend
    from du_eval.endtoend.detail import KIND
    from du_eval.endtoend.record import record_endtoend
    from du_eval.runs.record import Head, Spent
    from du_eval.staging import build_end_to_end

    session = build_end_to_end(config, judge)
    for warning in session.warnings:
        say(f"warning: {warning}")
    opened = open_endtoend(config, session.suite, session.generator_name, judge.model or judge.similarity)
    for note in opened.notes:
        say(f"note: {note}")
    started = time.perf_counter()
    result = _ask(session, opened)
    budget = session.budget
    if budget.calls:
        say(_used(budget))
    head = Head(
        KIND.name,
        seconds=time.perf_counter() - started,
        planned=len(session.suite.cases),
        settings={"model": config.model} if config.model else {},
        spent=Spent(calls=budget.calls, cost=budget.cost or None),
    )
    run = record_endtoend(result, session.parser.syntax.print, head)
    kept = keep_endtoend(opened, run, with_report=config.output)
    say(f"run {kept.head.id} kept in {opened.stored.folder}")
    if result.is_interrupted:
        say(f"interrupted; continue with: du-eval e2e --resume {kept.head.id}")
    return kept


def _ask(session: EndToEndSession, opened: OpenRun) -> EndToEndResult:
    """Run all cases; a run that could not begin leaves nothing behind."""
    from du_eval.assembly.endtoend_run import keep_answers

    runner = keep_answers(session.runner, opened, session.parser)
    try:
        with ending_politely():
            return runner.run(session.suite, session.generator_name)
    except BaseException:
        opened.discard_if_empty()
        raise


def _end(run: EndToEndRun, config: RunConfig, wanted: dict[str, Any]) -> ExitCode:
    from du_eval.cli.ending import end_run, want
    from du_eval.endtoend.detail import KIND
    from du_eval.reports.views.endtoend import view_endtoend

    file = config.output_file if config.output else None
    return end_run(run, KIND, view_endtoend(run), want({**wanted, "output_file": file}))


def _used(budget: Budget) -> str:
    """Return what the generator took, in words."""
    cost = f", cost {budget.cost:.4f}" if budget.cost else ""
    return f"{budget.calls} request{'s' if budget.calls > 1 else ''} sent{cost}"
