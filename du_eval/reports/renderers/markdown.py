"""A view as Markdown: for a pull request, a chat or the summary of a build."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from du_eval.reports.numbers import MARKS, name_figure, show_cell, show_figure
from du_eval.reports.renderers.sheets import tabulate
from du_eval.reports.sections import (
    Bars,
    Entries,
    Entry,
    Figures,
    Look,
    Note,
    Section,
    Table,
    Tone,
    Transcript,
    View,
)
from du_eval.reports.visible import make_lines_visible, tell_apart
from du_eval.runs.outcome import Outcome

_SHOWN = 20
_OPEN_ROWS = 12
"""Longer tables are closed until somebody opens them."""
_MOST_ROWS = 30
_SIGNS = {Tone.PLAIN: "", Tone.GOOD: "✅ ", Tone.BAD: "❌ ", Tone.OPEN: "⚠️ "}
_NUMBERS = {Look.NUMBER, Look.SHARE}
_NOTHING = "(nothing)"
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$]|^[-+=#]|(?<=\bwww)\.|(?<=\bhttp):|(?<=\bhttps):")
_IN_ADDRESSES = "%/:?#[]@!$&'()*+,;=~"
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")
_CALLED = re.compile(r"@(?=\w)|#(?=\d)|:(?=[\w+-]+:)")
"""What a host of Markdown turns into a mention, a reference or an emoji after it was rendered."""


def render_markdown(view: View) -> str:
    """Return the report as Markdown."""
    blocks = [f"## {_SIGNS[view.headline.tone]}{escape_markdown(view.headline.text)}"]
    if view.about:
        blocks.append(" · ".join(f"{escape_markdown(name)} {_code(value)}" for name, value in view.about))
    first = [section for section in view.sections if isinstance(section, Note | Figures)]
    rest = [section for section in view.sections if not isinstance(section, Note | Figures)]
    for section in view.sections if view.kind == "comparison" else (*first, *rest):
        blocks += _list_blocks(section)
    blocks += [f"> {escape_markdown(note)}" for note in view.notes]
    if view.signature:
        blocks.append(f"<sub>{escape_markdown(view.signature)}</sub>")
    return "\n\n".join(blocks) + "\n"


def escape_markdown(text: str) -> str:
    """Return Markdown that shows a text as it is, in a line, a table cell or an element."""
    return "<br>".join(_escape_line(line) for line in make_lines_visible(text))


def link_markdown(text: str, address: str) -> str:
    """Return a line of Markdown that leads to an address, whatever characters it has."""
    return f"[{escape_markdown(text)}](<{quote(address, safe=_IN_ADDRESSES)}>)\n"


def _escape_line(line: str) -> str:
    parts = []
    start = 0
    for found in _CALLED.finditer(line):
        parts.append(_SPECIAL.sub(r"\\\g<0>", line[start : found.start()]))
        # An empty comment keeps the two characters from being read together.
        parts.append(f"{'' if found[0] == ':' else chr(92)}{found[0]}<!-- -->")
        start = found.end()
    parts.append(_SPECIAL.sub(r"\\\g<0>", line[start:]))
    return _NUMBERED.sub(r"\1\\\2", "".join(parts))


def _code(text: str) -> str:
    """Return a text in a fixed-width face; as an element, so that one way to escape serves all."""
    return "<br>".join(f"<code>{_escape_line(line)}</code>" for line in make_lines_visible(text) if line)


def _list_blocks(section: Section) -> Iterator[str]:
    if isinstance(section, Note):
        yield f"{_SIGNS[section.tone]}{escape_markdown(section.text)}"
    elif isinstance(section, Figures) and section.figures:
        rows = [
            (escape_markdown(name_figure(one)), escape_markdown(show_figure(one))) for one in section.figures
        ]
        yield _make_table(("figure", "value"), rows, (False, False))
    elif isinstance(section, Entries):
        yield from _list_failures(section)
    elif isinstance(section, Transcript):
        yield f"**{escape_markdown(section.title)}**"
        yield _quote(section)
    elif isinstance(section, Table) and not section.is_minor and section.rows:
        yield from _list_table(section)
    elif not isinstance(section, Bars) and (table := tabulate(section)) and table.rows:
        yield from _list_table(table)


def _list_table(table: Table) -> Iterator[str]:
    most = len(table.rows) if table.is_whole else _MOST_ROWS
    rows = [
        [_show(cell, column.look) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows[:most]
    ]
    names = [escape_markdown(column.name) for column in table.columns]
    title = escape_markdown(table.title)
    is_long = len(table.rows) > _OPEN_ROWS and not table.is_whole
    yield f"<details><summary>{title} ({len(table.rows)})</summary>" if is_long else f"**{title}**"
    yield _make_table(names, rows, [column.look in _NUMBERS for column in table.columns])
    if len(table.rows) > most:
        yield f"… and {len(table.rows) - most} more"
    if table.remark:
        yield escape_markdown(table.remark)
    if is_long:
        yield "</details>"


def _show(cell: object, look: Look) -> str:
    if isinstance(cell, Outcome):
        return f"{MARKS[cell]} {cell}"
    if isinstance(cell, str):
        return _code(cell) if look is Look.CODE else escape_markdown(cell)
    return escape_markdown(show_cell(cell, look))  # type: ignore[arg-type]


def _make_table(head: Sequence[str], rows: Sequence[Sequence[str]], is_number: Sequence[bool]) -> str:
    ruler = "|".join("---:" if right else "---" for right in is_number)
    lines = [f"| {' | '.join(head)} |", f"|{ruler}|", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines)


def _list_failures(section: Entries) -> Iterator[str]:
    """Yield what did not pass: a table, then the conversations."""
    failures = [entry for entry in section.entries if entry.is_failure]
    failures.sort(key=lambda entry: entry.outcome is not Outcome.FAILED)
    if not failures:
        return
    yield f"<details><summary>{len(failures)} {escape_markdown(section.unit)} did not pass</summary>"
    rows = [_make_row(entry) for entry in failures[:_SHOWN]]
    yield _make_table(("", "where", "asked", "expected", "got"), rows, (False,) * 5)
    if len(failures) > _SHOWN:
        yield f"… and {len(failures) - _SHOWN} more"
    for entry in failures[:_SHOWN]:
        yield from _list_talk(entry)
    yield "</details>"


def _make_row(entry: Entry) -> tuple[str, ...]:
    mark = MARKS[entry.outcome or Outcome.PASSED]
    expected, actual = tell_apart_lines(entry.expected, entry.actual)
    told = escape_markdown(entry.message) if entry.message and not entry.actual else ""
    return (
        mark,
        _code(entry.place),
        escape_markdown(entry.title),
        _code(expected) or ("" if told else _NOTHING),
        _code(actual) or told or _NOTHING,
    )


def tell_apart_lines(one: str, other: str) -> tuple[str, str]:
    """Return two texts line by line; lines that look alike but differ show how."""
    left, right = one.split("\n"), other.split("\n")
    if len(left) != len(right):
        return one, other
    pairs = [tell_apart(a, b) for a, b in zip(left, right, strict=True)]
    return "\n".join(a for a, _ in pairs), "\n".join(b for _, b in pairs)


def _list_talk(entry: Entry) -> Iterator[str]:
    for detail in entry.detail:
        if isinstance(detail, Transcript) and len(detail.lines) > 1:
            said = _quote(detail)
            yield f"<details><summary>{escape_markdown(entry.title)}</summary>\n\n{said}\n\n</details>"


def _quote(talk: Transcript) -> str:
    """Return a conversation, line by line; a judged line has its mark."""
    return "<br>".join(
        f"{f'{MARKS[line.outcome]} ' if line.outcome else ''}"
        f"{escape_markdown(line.speaker)}: {(_code if line.is_code else escape_markdown)(line.text)}"
        for line in talk.lines
    )
