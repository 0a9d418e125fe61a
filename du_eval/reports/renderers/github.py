"""Annotations of GitHub workflows: what did not pass, at its line of the test file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from du_eval.reports.renderers.junit import describe_entry
from du_eval.reports.sections import Entry, Note, Tone, View

_MOST = 50
"""GitHub shows few annotations of a step; the summary has the rest."""
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+)$")


def render_github(view: View) -> str:
    """Return the workflow commands, a line each; there is an error if and only if the run did not pass."""
    return "".join(f"{line}\n" for line in _list_lines(view))


def _list_lines(view: View) -> Iterator[str]:
    bad = [entry for entry in view.entries() if entry.is_failure]
    yield from map(_annotate, bad[:_MOST])
    if len(bad) > _MOST:
        yield f"::notice title=du-eval::{len(bad) - _MOST} more did not pass"
    notes = [one for one in view.sections if isinstance(one, Note)]
    for note in notes:
        if note.tone in {Tone.BAD, Tone.OPEN}:
            level = "error" if note.tone is Tone.BAD else "warning"
            yield f"::{level} title=du-eval::{_escape(note.text)}"
    if view.headline.tone is Tone.OPEN or (view.headline.tone is Tone.BAD and not bad):
        yield f"::error title=du-eval::{_escape(view.headline.text)}"


def _annotate(entry: Entry) -> str:
    found = _PLACE.match(entry.place)
    place = f"file={_escape_property(found['file'])},line={found['line']}," if found else ""
    return f"::error {place}title={_escape_property(entry.case)}::{_escape(describe_entry(entry))}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
