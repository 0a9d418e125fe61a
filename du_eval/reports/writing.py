"""A run as files, by what their names end with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath

from msgspec import Struct

from du_eval.errors import DuEvalError, InputError, ReportError
from du_eval.plugins import OwnModules, PlugIns
from du_eval.reports.sections import View
from du_eval.runs.record import AnyRun
from du_eval.runs.report import AnyKind


class Reported(Struct, frozen=True):
    """A finished run as a reporter gets it: the whole of it, and its view for people."""

    run: AnyRun
    kind: AnyKind
    view: View
    shows_prompts: bool = False
    before: AnyRun | None = None
    """The run before, whose comparison stands on the page."""
    table: str | None = None
    """The table that a form wants that has one; None: the first."""
    is_raw: bool = False
    """Whether texts stay unguarded that a spreadsheet would take for formulas."""


Reporter = Callable[[Reported], str | bytes]
"""What a package provides under the entry point `du_eval.reporters`; its name is the ending of the files."""

REPORTERS: Mapping[str, Reporter] = PlugIns(
    "reporters", OwnModules("du_eval.reports.formats", attribute="report")
)
"""Endings of files, and who writes such a file: our own are modules that are named after their endings."""


def check_endings(names: Iterable[str], own: tuple[str, ...] = ()) -> None:
    """Raise where a file is in no form that we know; an activity may have some of its own."""
    wrong = [name for name in names if _find_ending(name) not in REPORTERS and _find_ending(name) not in own]
    if wrong:
        known = ", ".join(f".{ending}" for ending in dict.fromkeys((*REPORTERS, *own)))
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
