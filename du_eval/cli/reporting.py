"""The end of a run at the command line: print the report, write the file, choose the exit code."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from typing import TYPE_CHECKING

from du_eval.cli.edge import out, say, say_error
from du_eval.cli.more_reports import annotate, write_more
from du_eval.errors import ExitCode, ReportError

if TYPE_CHECKING:
    from du_eval.assembly import Session
    from du_eval.evaluation.aggregate import Evaluation


def report(evaluation: Evaluation, session: Session, *, as_json: bool, quiet: bool) -> ExitCode:
    """Print and write the report; return the exit code."""
    _print(evaluation, session, as_json=as_json, quiet=quiet)
    is_written = _write(evaluation, session)
    is_written = write_more(evaluation, session) and is_written
    annotate(evaluation, session)
    return _exit_code(evaluation, session, is_written=is_written)


def _print(evaluation: Evaluation, session: Session, *, as_json: bool, quiet: bool) -> None:
    spell = session.evaluator.parser.syntax.print
    if as_json:
        from du_eval.reports.data import DataReporter
        from du_eval.reports.files import json_text

        out(json_text(DataReporter(spell, session.config.output_prompt).everything(evaluation)))
        return
    from du_eval.reports.console import ConsoleReporter

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    reporter = ConsoleReporter(
        spell, _width(), colour=colour, show_prompts=session.config.output_prompt, show_details=not quiet
    )
    out(reporter.render(evaluation))


def _width() -> int:
    import shutil

    return max(60, min(120, shutil.get_terminal_size((80, 24)).columns)) if sys.stdout.isatty() else 80


def _write(evaluation: Evaluation, session: Session) -> bool:
    """Write the report file; a failure is said, and does not take back what was printed."""
    if not session.config.output:
        return True
    from du_eval.assembly.loading import identity_data
    from du_eval.reports.data import DataReporter
    from du_eval.reports.files import json_text, write, yaml_text

    now = datetime.now().astimezone()
    target = session.config.output_file or f"dialogue_understanding_test_{now:%Y%m%d-%H%M%S}.yml"
    reporter = DataReporter(session.evaluator.parser.syntax.print, session.config.output_prompt)
    is_json = target.endswith(".json")
    content = (
        json_text(identity_data(session) | reporter.everything(evaluation))
        if is_json
        else yaml_text(reporter.official(evaluation))
    )
    try:
        write(target, content)
    except ReportError as error:
        say_error(error)
        return False
    say(f"report written to {target}")
    return True


def _exit_code(evaluation: Evaluation, session: Session, *, is_written: bool) -> ExitCode:
    from du_eval.runs.outcome import Outcome

    if evaluation.run.is_interrupted:
        return ExitCode.INTERRUPTED
    if not is_written:
        return ExitCode.BUG
    if evaluation.has_errors:
        return ExitCode.ERRORED
    verdict = dict(evaluation.run.settings).get("verdict")
    if verdict is not None:
        return ExitCode.FAILED if verdict == "regressed" else ExitCode.PASSED
    if session.config.fail_under is not None:
        return ExitCode.FAILED if _says_missed(evaluation, session.config.fail_under) else ExitCode.PASSED
    if evaluation.has_failures:
        return ExitCode.FAILED
    is_open = evaluation.cases[Outcome.ERRORED] or evaluation.run.stopped
    return ExitCode.ERRORED if is_open else ExitCode.PASSED


def _says_missed(evaluation: Evaluation, fail_under: str) -> bool:
    """Say which figures are too low, and tell whether there are any."""
    from du_eval.evaluation.figures import figures_of, missed, thresholds_of

    found = missed(figures_of(evaluation), thresholds_of(fail_under))
    for reason in found:
        say(f"gate missed: {reason}")
    if not found:
        say(f"gate passed: {fail_under}")
    return bool(found)
