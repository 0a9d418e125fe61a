"""`du-eval verify`: whether a kept run is as it was written, and its report follows from its answers."""

from __future__ import annotations

from typing import Annotated

import typer

from du_eval.cli import options_compare
from du_eval.cli.edge import out, reporting_errors
from du_eval.errors import ExitCode

_WORDS = {True: "holds", False: "BROKEN", None: "unknown"}


def verify(
    run: Annotated[
        str, typer.Argument(help="The run: its id, the start of its id, its label, its folder, or last.")
    ] = "last",
    expect: Annotated[
        str, typer.Option("--expect", metavar="FINGERPRINT", help="The fingerprint that was noted before.")
    ] = "",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    runs_dir: options_compare.RunsDir = None,
) -> None:
    """Prove that a run was not changed, and follows from its answers.

    Each line of the journal holds a hash of itself and of the line before it; the manifest holds the last one
    and that of the report. The answers are judged again, without asking anybody, and must give the report.

    Exit codes: 0 everything holds, 1 something was changed, 3 something cannot be told.

    Examples:
      du-eval verify last

      du-eval verify 20260131-120000 --expect 5f1c0d8e...

    """
    from du_eval.assembly.finding import find_store
    from du_eval.assembly.verifying import Verified, verify_run
    from du_eval.cli.metrics import rejudge_metrics
    from du_eval.reports.files import json_text
    from du_eval.staging import rejudge_endtoend

    with reporting_errors():
        stored = find_store(runs_dir).find(run)
        found = verify_run(stored, {"e2e": rejudge_endtoend, "metrics": rejudge_metrics})
        fingerprint = stored.manifest.fingerprint
        if expect:
            is_same = len(expect) >= 16 and fingerprint.startswith(expect.lower().rstrip("."))
            told = f"it is {'the one' if is_same else 'not the one'} that was noted"
            found = [one for one in found if one.name != "seal"] + [
                Verified("fingerprint", told, holds=is_same)
            ]
        if json_output:
            findings = [{"name": one.name, "holds": one.holds, "text": one.text} for one in found]
            out(json_text({"run": stored.id, "fingerprint": fingerprint, "findings": findings}))
        else:
            lines = [f"{_WORDS[one.holds]:8} {one.name:12} {one.text}" for one in found]
            head = f"run {stored.id}, du-eval {stored.manifest.kind}"
            out("\n".join([head, *lines, f"fingerprint {fingerprint}", ""]))
        states = {one.holds for one in found}
        code = ExitCode.FAILED if False in states else ExitCode.ERRORED if None in states else ExitCode.PASSED
    raise typer.Exit(code)
