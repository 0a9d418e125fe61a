"""Reports that a run writes on request or for the build server it runs on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from du_eval.cli.edge import say, say_error
from du_eval.errors import InputError, ReportError

if TYPE_CHECKING:
    from du_eval.assembly import Session
    from du_eval.assembly.loading import LoadedRun
    from du_eval.evaluation.aggregate import Evaluation


def write_more(evaluation: Evaluation, session: Session) -> bool:
    """Write what was asked for; a failure is said, and does not take back what was printed."""
    from du_eval.reports.files import write

    is_written = True
    for path, render in _wanted(evaluation, session):
        try:
            write(path, render())
            say(f"report written to {path}")
        except ReportError as error:
            say_error(error)
            is_written = False
    return is_written


def _wanted(evaluation: Evaluation, session: Session) -> Iterator[tuple[str, Callable[[], str]]]:
    config, spell = session.config, session.evaluator.parser.syntax.print
    if config.html:
        yield config.html, lambda: _page(evaluation, session)
    if config.junitxml:
        from du_eval.reports.junit import JunitReporter

        yield config.junitxml, lambda: JunitReporter(spell).render(evaluation)
    if config.markdown:
        from du_eval.reports.markdown import MarkdownReporter

        yield config.markdown, lambda: MarkdownReporter(spell).render(evaluation)


def write_page(path: str | Path | None, data: Mapping[str, Any], name: str) -> None:
    """Write the page of a run of any activity, where one is asked for."""
    if path is None:
        return
    from du_eval.reports.files import write
    from du_eval.reports.html import html_report

    write(path, html_report([(name, data)]))
    say(f"page written to {path}")


def annotate(evaluation: Evaluation, session: Session) -> None:
    """Tell GitHub about failed steps and write the step summary, when running there."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from du_eval.reports.github import GithubReporter
    from du_eval.reports.markdown import MarkdownReporter

    spell = session.evaluator.parser.syntax.print
    # On standard error, so that --json stays JSON; the runner reads both.
    sys.stderr.write(GithubReporter(spell).render(evaluation))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(MarkdownReporter(spell).render(evaluation))


def _page(evaluation: Evaluation, session: Session) -> str:
    from du_eval.assembly.loading import identity_data
    from du_eval.reports.data import DataReporter
    from du_eval.reports.html import html_report
    from du_eval.reports.saved import record_of
    from du_eval.runs.comparison import compared

    data: dict[str, Any] = identity_data(session) | DataReporter(
        session.evaluator.parser.syntax.print, show_prompts=True
    ).everything(evaluation)
    record = record_of(data, "this run")
    earlier = _earlier(session)
    found = [compared(earlier.record, record)] if earlier else []
    is_related = bool(found) and bool(found[0].overlap.common)
    return html_report([(data.get("label") or "this run", data)], found if is_related else [])


def _earlier(session: Session) -> LoadedRun | None:
    """Return the run that was kept before this one, if there is one with a report."""
    from du_eval.assembly.loading import LoadedRun, stored_report
    from du_eval.assembly.selection import run_store

    kept = list(run_store(session.config))
    before = kept[:-1] if session.config.journal else kept
    if not before or session.config.resume is not None:
        return None
    try:
        return LoadedRun(before[-1].id, stored_report(before[-1], session.config.runs_dir))
    except InputError:
        return None
