"""`du-eval verify`: whether a kept run is as it was written, and its report follows from its answers."""

from __future__ import annotations

from du_eval.cli.edge import out
from du_eval.cli.generated import with_options
from du_eval.errors import ExitCode
from du_eval.settings.reading import VerifyOptions

_WORDS = {True: "holds", False: "BROKEN", None: "unknown"}


@with_options(VerifyOptions)
def verify(options: VerifyOptions) -> ExitCode:
    """Check that a run was not changed and follows from its answers.

    Each line of the journal holds a hash of itself and of the line before it; the manifest holds the last one
    and that of the report. The answers are judged again, offline, and must give the same report.

    Exit codes: 0 everything holds, 1 something was changed, 3 something could not be checked.

    Examples:
      du-eval verify last

      du-eval verify 20260131-120000 --expect 5f1c0d8e...

    """
    from du_eval.assembly.finding import find_store
    from du_eval.assembly.verifying import Verified, verify_run

    stored = find_store(options.runs_dir).find(options.run)
    found = verify_run(stored)
    fingerprint = stored.manifest.fingerprint
    if options.expect:
        expected = options.expect.lower().rstrip(".")
        is_same = len(options.expect) >= 16 and fingerprint.startswith(expected)
        told = f"it is {'the one' if is_same else 'not the one'} that was noted"
        found = [one for one in found if one.name != "seal"] + [Verified("fingerprint", told, holds=is_same)]
    if options.json_output:
        findings = [{"name": one.name, "holds": one.holds, "text": one.text} for one in found]
        out({"run": stored.id, "fingerprint": fingerprint, "findings": findings})
    else:
        lines = [f"{_WORDS[one.holds]:8} {one.name:12} {one.text}" for one in found]
        head = f"run {stored.id}, du-eval {stored.manifest.kind}"
        out("\n".join([head, *lines, f"fingerprint {fingerprint}", ""]))
    states = {one.holds for one in found}
    return ExitCode.FAILED if False in states else ExitCode.ERRORED if None in states else ExitCode.PASSED
