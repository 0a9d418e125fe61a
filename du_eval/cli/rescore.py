"""`du-eval rescore` and `du-eval merge`: reports of answers that are already there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated

import typer

from du_eval.cli.edge import say
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ExitCode, tell_count
from du_eval.settings.commands import TestSettings

_RUN = "The run: its id, the start of its id, its label, its folder, or last."
_JUDGING = (
    "assistant", "syntax", "match", "additional_commands", "remove_default_commands", "check_flows",
    "success_ratio", "output_file", "output", "output_prompt", "json_output", "quiet", "runs_dir", "label",
    "html", "junitxml", "markdown", "fail_under", "max_errors",
)  # fmt: skip
"""How answers are read, compared and reported."""
ChangedSuite = Annotated[
    bool,
    typer.Option(
        "--changed-suite", help="Judge by the test files as they are now, even if they changed since the run."
    ),
]


@with_settings(TestSettings, *_JUDGING)
def rescore(
    run: Annotated[str, typer.Argument(help=_RUN)] = "last",
    changed_suite: ChangedSuite = False,
    *,
    given: Given,
) -> ExitCode:
    """Judge a kept run again, without sending any request.

    For when you changed commands, the matching policy, the syntax or the expectations.

    Examples:
      du-eval rescore last --match rasa

      du-eval rescore 20260131-120000 --changed-suite --output-prompt

    """
    return _rescored(run, given, allows_changes=changed_suite)


@with_settings(TestSettings, *_JUDGING)
def merge(
    runs: Annotated[list[str], typer.Argument(help="The runs: ids, the starts of ids, or folders.")],
    changed_suite: ChangedSuite = False,
    *,
    given: Given,
) -> ExitCode:
    """Merge runs, such as shards, into one report.

    The runs must cover different cases of the same suite, with the same settings. The result is kept as a
    run.

    Examples:
      du-eval merge 20260131-120000 20260131-120500

      du-eval merge downloaded/shard-*/.du-eval/runs/* --json

    """
    from du_eval.assembly import settle
    from du_eval.assembly.rescoring import merge_remarks, merge_runs
    from du_eval.assembly.selection import run_store
    from du_eval.trust.effects import NOTHING

    store = run_store(settle(TestSettings, _pick(given, "runs_dir"), os.environ, uses=NOTHING).config)
    for remark in merge_remarks([store.find(name) for name in runs]):
        say(f"warning: {remark}")
    _check(runs[0], given)
    joined = merge_runs(runs, given.get("runs_dir"))
    say(f"run {joined.id} joins {tell_count(len(runs), 'run')} in {joined.folder}")
    return _rescored(str(joined.folder), given, allows_changes=changed_suite)


def _check(run: str, given: Mapping[str, object]) -> None:
    """Refuse figures that the run cannot have, before anything is judged or written."""
    from du_eval.assembly.deciding import check_fail_under
    from du_eval.assembly.keeping import settle_run
    from du_eval.trust.effects import JUDGING

    names = ("fail_under", "additional_commands", "remove_default_commands", "syntax", "runs_dir")
    flags = {**_pick(given, *names), "resume": run}
    check_fail_under(settle_run(TestSettings, flags, os.environ, uses=JUDGING))


def _pick(given: Mapping[str, object], *names: str) -> dict[str, object]:
    return {name: given[name] for name in names if name in given}


def _rescored(run: str, given: Mapping[str, object], *, allows_changes: bool) -> ExitCode:
    from du_eval.assembly.keeping import keep_run
    from du_eval.assembly.rescoring import rescore_run
    from du_eval.cli.test import end_test
    from du_eval.runs.keeping import OpenRun

    _check(run, given)
    record, session, stored = rescore_run({**given, "resume": run}, allows_changes=allows_changes)
    if stored.manifest.merged:
        record = keep_run(OpenRun(stored, stored.journal(writing=True)), record, session.config)
    return end_test(record, session.config)
