"""`du-eval rescore` and `du-eval merge`: reports of answers that are already there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from du_eval.cli import options
from du_eval.cli.edge import reporting_errors, say
from du_eval.cli.option_groups import with_options
from du_eval.cli.options_report import ReportOptions
from du_eval.errors import ExitCode

_RUN = "The run: its id, the start of its id, its label, its folder, or last."
RunsDir = Annotated[str | None, typer.Option("--runs-dir", help="Where runs are kept.", show_default=False)]


class JudgingOptions:
    """How answers are read, compared and reported."""

    assistant: options.Assistant = None
    syntax: options.Syntax = None
    match: Annotated[
        str | None,
        typer.Option("--match", help="exact, or rasa: the official tool's numbers.", show_default=False),
    ] = None
    additional_commands: options.AdditionalCommands = None
    remove_default_commands: options.RemoveDefaultCommands = None
    check_flows: options.CheckFlows = None
    success_ratio: Annotated[
        str | None,
        typer.Option("--success-ratio", metavar="M/N", help="Samples that must pass.", show_default=False),
    ] = None
    output_file: Annotated[
        str | None, typer.Option("--output-file", help="Where the report goes.", show_default=False)
    ] = None
    no_output: Annotated[bool, typer.Option("--no-output", help="Write no report file.")] = False
    output_prompt: Annotated[
        bool, typer.Option("--output-prompt", help="Show the prompts that led to wrong predictions.")
    ] = False
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No details of failures.")] = False
    changed_suite: Annotated[
        bool, typer.Option("--changed-suite", help="Judge by test files that were changed since the run.")
    ] = False
    runs_dir: RunsDir = None


@with_options(JudgingOptions, ReportOptions)
def rescore(
    run: Annotated[str, typer.Argument(help=_RUN)] = "last",
    *,
    more: dict[str, Any],
) -> None:
    """Judge a kept run again, without asking anybody.

    For when you changed commands, the matching policy, the syntax or the expectations.

    Examples:
      du-eval rescore last --match rasa

      du-eval rescore 20260131-120000 --changed-suite --output-prompt

    """
    with reporting_errors():
        code = _rescored(run, more)
    raise typer.Exit(code)


@with_options(JudgingOptions, ReportOptions)
def merge(
    runs: Annotated[list[str], typer.Argument(help="The runs: ids, the starts of ids, or folders.")],
    *,
    more: dict[str, Any],
) -> None:
    """Join runs, such as shards, into one report.

    The runs are about different cases of the same suite, asked in the same way; the result is kept as a run.

    Examples:
      du-eval merge 20260131-120000 20260131-120500

      du-eval merge downloaded/shard-*/.du-eval/runs/* --json

    """
    from du_eval.assembly import settle
    from du_eval.assembly.rescoring import merge_remarks, merged
    from du_eval.assembly.selection import run_store
    from du_eval.trust.effects import NOTHING

    with reporting_errors():
        store = run_store(settle({"runs_dir": more["runs_dir"]}, os.environ, uses=NOTHING).config)
        for remark in merge_remarks([store.find(name) for name in runs]):
            say(f"warning: {remark}")
        _check(runs[0], more)
        joined = merged(runs, more["runs_dir"])
        say(f"run {joined.id} joins {len(runs)} runs in {joined.folder}")
        code = _rescored(str(joined.folder), more)
    raise typer.Exit(code)


def _check(run: str, given: Mapping[str, Any]) -> None:
    """Refuse figures that the run cannot have, before anything is judged or written."""
    from du_eval.assembly.keeping import settle_run
    from du_eval.assembly.thresholds import check_fail_under
    from du_eval.trust.effects import JUDGING

    names = ("fail_under", "additional_commands", "remove_default_commands", "syntax", "runs_dir")
    flags = {**{name: given[name] for name in names}, "resume": run}
    check_fail_under(settle_run(flags, os.environ, uses=JUDGING))


def _rescored(run: str, given: Mapping[str, Any]) -> ExitCode:
    from du_eval import __version__
    from du_eval.assembly.keeping import keep_test, record_session
    from du_eval.assembly.rescoring import rescored
    from du_eval.cli.test import Printing, end_test
    from du_eval.evaluation.aggregate import evaluated
    from du_eval.runs.keeping import OpenRun

    flags = dict(given)
    as_json, quiet = flags.pop("json_output"), flags.pop("quiet")
    allows_changes = flags.pop("changed_suite")
    flags["output"] = False if flags.pop("no_output") else None
    flags["output_prompt"] = flags["output_prompt"] or None
    _check(run, given)
    result, session, stored = rescored({**flags, "resume": run}, allows_changes=allows_changes)
    record = record_session(evaluated(result, __version__), session)
    if stored.manifest.merged:
        record = keep_test(OpenRun(stored, stored.journal(writing=True)), record, session.config)
    return end_test(record, session.config, Printing(as_json, quiet))
