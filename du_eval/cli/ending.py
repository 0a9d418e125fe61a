"""A run of any activity: open it, keep it, print it, write what was asked for, choose the exit code."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from du_eval.cli.edge import ending_politely, out, say, say_all, say_error
from du_eval.errors import ExitCode, ReportError, tell_count

if TYPE_CHECKING:
    from du_eval.reports.sections import View
    from du_eval.reports.writing import Reported
    from du_eval.runs.keeping import Opening, OpenRun
    from du_eval.runs.record import AnyRun, D, E, Run, Status
    from du_eval.settings.shared import KeptSettings
    from du_eval.settings.sources import Settled, Source

    A = TypeVar("A", bound=KeptSettings)
    T = TypeVar("T")

_CALLS = {"quality": "quality run", "protocol": "protocol run"}
"""How activities are called whose names are not their commands."""


class Showing(Struct, frozen=True):
    """How an activity wants its run to be shown, besides what its settings say."""

    form: str = ""
    """The ending of the form in which it is printed; empty: as a terminal shows it."""
    is_quiet: bool = False
    shows_prompts: bool = False
    shows_passed: bool = False
    compared_with: AnyRun | None = None
    """The run before, whose comparison stands on the page."""


def settle_activity(model: type[A], given: Mapping[str, object], named: Sequence[Source] = ()) -> Settled[A]:
    """Return the settings of an activity; raise first where a report has a form that nobody knows."""
    from du_eval.assembly.keeping import settle_run
    from du_eval.reports.writing import check_endings

    found = settle_run(model, given, os.environ, named=named)
    check_endings(found.config.output_file)
    return found


@contextmanager
def open_activity(config: KeptSettings, opening: Opening, place: Path | None = None) -> Iterator[OpenRun]:
    """Yield a new run, or the one to go on with; one that could not begin leaves nothing behind."""
    from du_eval.assembly.keeping import open_kept

    opened = open_kept(config, opening, place)
    if kept := opened.journal.count_answers():
        say(f"note: {tell_count(kept, 'answer is', 'answers are')} kept from before")
    say_all("note", opened.notes)
    try:
        with ending_politely():
            yield opened
    except BaseException:
        opened.discard_if_empty()
        raise


def finish(opened: OpenRun, run: Run[D, E], config: KeptSettings) -> Run[D, E]:
    """Keep what came of a run, and say where; what took long is shown even where it cannot be kept."""
    from du_eval.assembly.activities import view_run
    from du_eval.assembly.keeping import keep_run
    from du_eval.runs.record import Status

    try:
        kept = keep_run(opened, run, config)
    except ReportError:
        print_view(view_run(run), Showing())
        raise
    folder = opened.stored.folder
    say(f"run {kept.head.id} kept in {folder}")
    if kept.head.status is Status.INTERRUPTED:
        is_usual = config.runs_dir == type(config).model_fields["runs_dir"].default
        name = kept.head.id if is_usual and folder.name == kept.head.id else folder
        call = _CALLS.get(kept.head.kind, kept.head.kind)
        say(f"interrupted; continue with: du-eval {call} --resume {name}")
    return kept


def recall_if_interrupted(
    hold: Callable[[], Coroutine[object, object, list[T]]],
    recall: Callable[[], Coroutine[object, object, list[T]]],
) -> tuple[list[T], Status]:
    """Return conversations; after an interruption, what the journal has of them."""
    from du_eval.runs.record import Status

    try:
        return asyncio.run(hold()), Status.FINISHED
    except KeyboardInterrupt:
        return asyncio.run(recall()), Status.INTERRUPTED


def end_run(
    run: AnyRun, config: KeptSettings, showing: Showing, otherwise: ExitCode = ExitCode.PASSED
) -> ExitCode:
    """Print and write a run of any activity; return the exit code, `otherwise` where it would be 0."""
    from du_eval.assembly.activities import find_shown
    from du_eval.reports.sections import add_ruling
    from du_eval.reports.writing import REPORTERS, Reported
    from du_eval.runs.ruling import rule

    shown = find_shown(run.head.kind)
    ruling, view = rule(run, config.gate, config.max_errors), shown.view(run)
    of = Reported(run, shown.kind, view, showing.shows_prompts, showing.compared_with, ruling)
    form = "json" if config.json_output else showing.form
    if form:
        printed = REPORTERS[form](of)
        out(printed if isinstance(printed, str) else printed.decode())
    else:
        print_view(view, showing)
    of = replace(of, view=add_ruling(view, ruling))
    is_written = _write(of, config)
    for reason in ruling.reasons:
        say(reason)
    code = ExitCode.BUG if not is_written and ruling.code is not ExitCode.INTERRUPTED else ruling.code
    code = otherwise if code is ExitCode.PASSED else code
    _annotate(of.view, code)
    return code


def print_view(view: View, showing: Showing) -> None:
    """Print a report as the terminal can show it."""
    from du_eval.reports.renderers.terminal import TerminalStyle, render_terminal

    is_terminal = sys.stdout.isatty()
    colour = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = _find_width() if is_terminal else None
    style = TerminalStyle(width, colour, showing.is_quiet, showing.shows_prompts, showing.shows_passed)
    out(render_terminal(view, style), is_styled=True)


def write_view(view: View, config: KeptSettings) -> None:
    """Write a report that is not that of a single run as a page and as Markdown, where that is asked for."""
    from du_eval.reports.files import write
    from du_eval.reports.renderers.markdown import render_markdown
    from du_eval.reports.renderers.page import render_page

    for path, text in (
        (config.html, render_page([view]) if config.html else ""),
        (config.markdown, render_markdown(view) if config.markdown else ""),
    ):
        if path:
            write(path, text)
            say(f"report written to {path}")


def _find_width() -> int:
    import shutil

    return max(60, shutil.get_terminal_size((80, 24)).columns)


def _write(of: Reported, config: KeptSettings) -> bool:
    """Write what was asked for; a failure is said, and does not take back what was printed."""
    from du_eval.reports.files import write

    is_written = True
    for path, render in _list_files(of, config):
        try:
            write(path, render())
            say(f"report written to {path}")
        except ReportError as error:
            say_error(error)
            is_written = False
    return is_written


def _list_files(of: Reported, config: KeptSettings) -> Iterator[tuple[str, Callable[[], str | bytes]]]:
    from du_eval.reports.writing import REPORTERS, render_file

    for name in config.output_file if getattr(config, "output", True) else ():
        yield name, partial(render_file, name, of)
    for ending, file in (("html", config.html), ("md", config.markdown), ("xml", config.junitxml)):
        if file:
            yield file, partial(REPORTERS[ending], of)


def _annotate(view: View, code: ExitCode) -> None:
    """Tell GitHub about what did not pass and write the step summary, when running there."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from du_eval.reports.renderers.junit import render_github
    from du_eval.reports.renderers.markdown import render_markdown

    # On standard error, so that --json stays JSON; the runner reads both.
    sys.stderr.write(render_github(view, code))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(render_markdown(view))
