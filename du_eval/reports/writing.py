"""A run as files, by what their names end with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from du_eval.errors import InputError
from du_eval.experiments.deciding import decide_runs
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
ENDINGS = (".json", ".yml", ".yaml", ".html", ".md", ".xml", ".xlsx", ".txt")


@dataclass(frozen=True, slots=True)
class FileWanted:
    """A file to write, and whether prompts stand in it."""

    name: str
    shows_prompts: bool = False


def check_endings(names: Iterable[str], own: tuple[str, ...] = ()) -> None:
    """Raise where a file is in no form that we know; an activity may have some of its own."""
    known = (*ENDINGS, *own)
    wrong = [name for name in names if PurePath(name).suffix.lower() not in known]
    if wrong:
        raise InputError(f"--output-file {', '.join(wrong)}: the name must end with {', '.join(known)}")


def render_file(file: FileWanted, run: Run[D, E], kind: Kind[D, E], view: View) -> str | bytes:
    """Return a run in the form that the name of a file asks for."""
    ending = PurePath(file.name).suffix.lower()
    if ending == ".json":
        return b"".join(encode_run(run, kind))
    if ending in {".yml", ".yaml"}:
        return yaml_text(make_official_report(run, shows_prompts=file.shows_prompts))
    if ending == ".html":
        return render_page_of(view, run, None)
    if ending == ".md":
        return render_markdown(view)
    if ending == ".xml":
        return render_junit(run, view)
    if ending == ".txt":
        return render_terminal(view, TerminalStyle(shows_texts=file.shows_prompts, shows_passed=True))
    if ending == ".xlsx":
        return write_xlsx(view)
    raise InputError(f"'{file.name}' ends with none of {', '.join(ENDINGS)}")


def render_page_of(view: View, run: Run[D, E], before: Run[Any, Any] | None) -> str:
    """Return the page of a run, with what changed since another one where they have anything in common."""
    if before is None:
        return render_page([view])
    found = compared(reduce_run(before), reduce_run(run, "this run"))
    if not found.overlap.common:
        return render_page([view])
    return render_page([view, view_comparison(found, decide_runs(found, before, run))])
