"""A view for people at a terminal: what did not pass first, the totals last."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile

from msgspec import Struct
from msgspec.structs import replace

from du_eval.reports.numbers import name_figure, show_figure
from du_eval.reports.renderers.layout import Styled, print_lines, wrap_text
from du_eval.reports.renderers.sheets import tabulate
from du_eval.reports.renderers.terminal_entries import Sheet, list_failures, list_rest
from du_eval.reports.sections import (
    Entries,
    Entry,
    Facts,
    Figures,
    Look,
    Matrix,
    Note,
    Section,
    Table,
    Text,
    Tone,
    Transcript,
    View,
)
from du_eval.reports.visible import make_lines_visible, make_visible

_TONES = {Tone.PLAIN: "", Tone.GOOD: "green", Tone.BAD: "red", Tone.OPEN: "yellow"}
_MOST_PAIRS = 10
_NORMAL_WIDTH = 80
_MOST_ROWS = 20
"""Longer tables are cut, except those that say what became of each case."""


class TerminalStyle(Struct, frozen=True):
    """How a report is printed."""

    width: int | None = None
    """None: as wide as needed, as in a pipe."""
    colour: bool = False
    is_quiet: bool = False
    """Whether what did not pass is left out."""
    shows_texts: bool = False
    """Whether prompts and raw answers are printed."""
    shows_passed: bool = False
    """Whether what passed is shown in full, too."""


_PLAIN = TerminalStyle()


def render_terminal(view: View, style: TerminalStyle = _PLAIN) -> str:
    """Return the report for a terminal."""
    lines = dropwhile(lambda line: not line.text, _list_lines(view, style))
    return print_lines(lines, is_coloured=style.colour)


def render_entry(entry: Entry) -> str:
    """Return everything that is known about an entry, as text."""
    sheet = Sheet(None, shows_texts=True)
    minor = [replace(one, is_minor=False) if isinstance(one, Table) else one for one in entry.detail]
    lines = [Styled(f"{entry.outcome or 'measured'}: {make_visible(entry.case)}")]
    lines += [Styled(make_visible(entry.message))] if entry.message else []
    return print_lines(
        [*lines, *(line for one in minor for line in sheet.list_detail(one))], is_coloured=False
    )


def _list_lines(view: View, style: TerminalStyle) -> Iterator[Styled]:
    sheet = Sheet(style.width, style.shows_texts)
    if view.unfinished:
        yield from _list_note(Note(f"Not finished: {view.unfinished}", Tone.OPEN), style)
        yield Styled()
    if not style.is_quiet:
        for section in view.sections:
            if isinstance(section, Entries):
                yield from list_failures(section, sheet)
                if style.shows_passed:
                    yield from list_rest(section, sheet)
    for before, section in zip((None, *view.sections), view.sections, strict=False):
        if isinstance(section, Note) and not isinstance(before, Note):
            yield Styled()
        yield from _list_section(section, style, sheet)
    yield from _list_totals(view, style, sheet)


def _list_section(section: Section, style: TerminalStyle, sheet: Sheet) -> Iterator[Styled]:
    """Yield the lines of a section; a minor table and the list of entries have none."""
    if isinstance(section, Note):
        yield from _list_note(section, style)
    elif isinstance(section, Table):
        if not section.is_minor and section.rows and not (style.is_quiet and section.lists_cases):
            yield from _list_table(section, sheet)
    elif isinstance(section, Matrix):
        yield from _list_matrix(section, sheet)
    elif isinstance(section, Facts | Transcript | Text):
        yield Styled()
        yield from sheet.list_detail(section)
    elif (table := tabulate(section)) and table.rows:
        yield from _list_table(table, sheet)


def _list_note(note: Note, style: TerminalStyle) -> Iterator[Styled]:
    for line in make_lines_visible(note.text):
        for part in [line] if style.width is None else wrap_text(line, style.width):
            yield Styled(part, style=_TONES[note.tone])


def _list_table(table: Table, sheet: Sheet) -> Iterator[Styled]:
    yield Styled()
    yield sheet.make_heading(table.title)
    if table.lines:
        for line in map(make_visible, table.lines):
            yield from map(Styled, [line] if sheet.width is None else wrap_text(line, sheet.width))
    else:
        has_outcomes = any(one.look is Look.OUTCOME for one in table.columns)
        is_whole = table.is_whole or has_outcomes or len(table.rows) <= _MOST_ROWS
        yield from sheet.list_table(table if is_whole else replace(table, rows=table.rows[:_MOST_ROWS]))
        if not is_whole:
            yield Styled(f"... and {len(table.rows) - _MOST_ROWS} more", style="dim")
    if table.remark:
        yield Styled(make_visible(table.remark), style="dim")


def _list_matrix(matrix: Matrix, sheet: Sheet) -> Iterator[Styled]:
    """Yield the most frequent pairs of different names."""
    pairs = [
        (count, row, column)
        for row, counts in zip(matrix.rows, matrix.counts, strict=True)
        for column, count in zip(matrix.columns, counts, strict=True)
        if count and row != column
    ]
    if not pairs:
        return
    yield Styled()
    yield sheet.make_heading(matrix.title)
    pairs.sort(key=lambda pair: -pair[0])
    for count, row, column in pairs[:_MOST_PAIRS]:
        yield Styled(f"{count:5} x {make_visible(row)} → {make_visible(column)}")
    if len(pairs) > _MOST_PAIRS:
        yield Styled(f"      ... and {len(pairs) - _MOST_PAIRS} more pairs", style="dim")


def _list_totals(view: View, style: TerminalStyle, sheet: Sheet) -> Iterator[Styled]:
    yield Styled()
    for note in view.notes:
        yield from _list_note(Note(note, Tone.OPEN), style)
    figures = [figure for one in view.sections if isinstance(one, Figures) for figure in one.figures]
    if figures:
        names = [name_figure(figure) for figure in figures]
        longest = max(map(len, names))
        for name, figure in zip(names, figures, strict=True):
            line = f"{make_visible(name):{longest}} : {show_figure(figure)}"
            yield Styled(line)
    if view.signature:
        yield Styled(f"signature: {make_visible(view.signature)}", style="dim")
    if len(view.headline.text) + 2 > (style.width or _NORMAL_WIDTH):
        yield from _list_note(view.headline, style)
    else:
        yield sheet.make_heading(view.headline.text, _TONES[view.headline.tone])
