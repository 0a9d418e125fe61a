"""A run as files, by what their names end with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from du_eval.errors import DuEvalError, InputError, ReportError
from du_eval.experiments.deciding import decide_runs
from du_eval.plugins import PlugIns
from du_eval.reports.files import yaml_text
from du_eval.reports.official import make_official_report
from du_eval.reports.renderers.junit import render_junit
from du_eval.reports.renderers.markdown import render_markdown
from du_eval.reports.renderers.page import render_page
from du_eval.reports.renderers.tables import write_xlsx
from du_eval.reports.renderers.terminal import TerminalStyle, render_terminal
from du_eval.reports.sections import View
from du_eval.reports.views.comparison import view_comparison
from du_eval.runs.comparison import compared
from du_eval.runs.record import D, E, Run
from du_eval.runs.records import reduce_run
from du_eval.runs.report import Kind, encode_run

__all__ = ["render_file", "render_junit", "render_markdown", "render_page_of", "write_xlsx"]


@dataclass(frozen=True, slots=True)
class Reported:
    """A finished run as a reporter gets it: the whole of it, and its view for people."""

    run: Run[Any, Any]
    kind: Kind[Any, Any]
    view: View
    shows_prompts: bool = False


Reporter = Callable[[Reported], str | bytes]
"""What a package provides under the entry point `du_eval.reporters`; its name is the ending of the files."""


def _write_json(of: Reported) -> bytes:
    return b"".join(encode_run(of.run, of.kind))


def _write_official(of: Reported) -> str:
    return yaml_text(make_official_report(of.run, shows_prompts=of.shows_prompts))


def _write_text(of: Reported) -> str:
    return render_terminal(of.view, TerminalStyle(shows_texts=of.shows_prompts, shows_passed=True))


REPORTERS: Mapping[str, Reporter] = PlugIns(
    "reporters",
    {
        "json": _write_json,
        "yml": _write_official,
        "yaml": _write_official,
        "html": lambda of: render_page_of(of.view, of.run, None),
        "md": lambda of: render_markdown(of.view),
        "xml": lambda of: render_junit(of.run, of.view),
        "xlsx": lambda of: write_xlsx(of.view),
        "txt": _write_text,
    },
)
"""Endings of files, and who writes such a file."""


def check_endings(names: Iterable[str], own: tuple[str, ...] = ()) -> None:
    """Raise where a file is in no form that we know; an activity may have some of its own."""
    wrong = [name for name in names if _find_ending(name) not in REPORTERS and _find_ending(name) not in own]
    if wrong:
        known = ", ".join(f".{ending}" for ending in (*REPORTERS, *own))
        raise InputError(f"--output-file {', '.join(wrong)}: the name must end with one of {known}")


def _find_ending(name: str) -> str:
    return PurePath(name).suffix.lower().removeprefix(".")


def render_file(name: str, reported: Reported) -> str | bytes:
    """Return a run in the form that the name of a file asks for."""
    check_endings([name])
    ending = _find_ending(name)
    try:
        return REPORTERS[ending](reported)
    except DuEvalError:
        raise
    except Exception as error:
        raise ReportError(f"{name} cannot be written: {type(error).__name__}: {error}") from error


def render_page_of(view: View, run: Run[D, E], before: Run[Any, Any] | None) -> str:
    """Return the page of a run, with what changed since another one where they have anything in common."""
    if before is None:
        return render_page([view])
    found = compared(reduce_run(before, "the run before"), reduce_run(run, "this run"))
    if not found.overlap.common:
        return render_page([view])
    return render_page([view, view_comparison(found, decide_runs(found, before, run))])
