"""`du-eval lint`: the health of a suite, without running it."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out
from du_eval.cli.generated import Given, with_settings
from du_eval.errors import ExitCode, tell_count
from du_eval.settings.commands import TestSettings

if TYPE_CHECKING:
    from du_eval.evaluation.lint import LintFinding


@with_settings(
    TestSettings, "paths", "assistant", "syntax", "additional_commands", "remove_default_commands", "actions",
    "action_endpoint", "skip_validation", "select", "runs_dir",
)  # fmt: skip
def lint(
    runs: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            help="A run; finds steps where several runs agree on an unexpected answer. Repeatable.",
            show_default=False,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if anything but notes is found.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    given: Given,
) -> ExitCode:
    """Look for likely mistakes in a suite, offline.

    Finds: the same conversation with different expectations, slot values that nobody said, flows that cannot
    be started, bot steps that cannot follow and commands without effect when the case is replayed through
    the flows, duplicates, rare commands, untested flows; and with --run the steps where several runs agree
    against the expectation. The worst come first.

    Examples:
      du-eval lint

      du-eval lint my_tests --strict

      du-eval lint my_tests --run small.json --run large.json

    """
    from du_eval.assembly import build_session, settle
    from du_eval.assembly.history import load_any
    from du_eval.evaluation.expectations import ExpectationReader
    from du_eval.evaluation.lint import Severity, agreements, findings, rank_findings
    from du_eval.evaluation.plan import Planner
    from du_eval.trust.effects import JUDGING

    session = build_session(settle(TestSettings, given, os.environ, uses=JUDGING).config)
    planner = Planner(ExpectationReader(session.evaluator.parser), session.evaluator.stage)
    found = findings(session.suite, planner, session.assistants.of)
    found = rank_findings(
        [*found, *agreements([load_any(name, given.get("runs_dir")).record for name in runs or ()])]
    )
    _print(found, len(session.suite), json_output=json_output)
    is_bad = any(finding.severity is not Severity.NOTE for finding in found)
    return ExitCode.FAILED if strict and is_bad else ExitCode.PASSED


def _print(found: list[LintFinding], cases: int, *, json_output: bool) -> None:
    if json_output:
        rows = [
            {
                "severity": finding.severity.words,
                "kind": finding.kind,
                "file": finding.file,
                "line": finding.line,
                "message": finding.message,
            }
            for finding in found
        ]
        out({"cases": cases, "findings": rows})
        return
    from du_eval.reports.numbers import one_line

    for finding in found:
        out(f"{one_line(str(finding))}\n")
    counts = Counter(finding.severity.words for finding in found)
    told = ", ".join(f"{count} {words}" for words, count in counts.items()) or "no problems found"
    out(f"{tell_count(cases, 'test case')}: {told}\n")
