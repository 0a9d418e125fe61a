"""What did not pass, at a terminal: the conversation, and what was expected beside what came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from du_eval.reports.numbers import show_cell
from du_eval.reports.renderers.layout import Styled, set_side_by_side, set_table, wrap_text
from du_eval.reports.sections import (
    Cell,
    Column,
    Detail,
    Diff,
    Entries,
    Entry,
    Facts,
    Look,
    Note,
    Table,
    Text,
    Transcript,
)
from du_eval.reports.visible import make_lines_visible, make_visible, pair_rows, tell_apart
from du_eval.runs.outcome import Outcome

_PLACES_SHOWN = 5
_MOST_LETTERS = 10_000
"""Of one answer, conversation or comparison; the page of a run has all of it."""
_WIDEST_CELL = 2_000
_NOTHING = "(nothing)"
_NUMBERS = {Look.NUMBER, Look.SHARE}
Samples = Mapping[str, tuple[int, int]]
_COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red", None: ""}


class Sheet(Struct, frozen=True):
    """The room that lines are written on."""

    width: int | None
    shows_texts: bool = False
    unit: str = "items"
    """What entries are called."""

    def make_heading(self, title: str, style: str = "") -> Styled:
        """Return a title in the middle of a line."""
        text = f" {make_visible(title)} ".center(self.width or 80, "=")
        return Styled(text, style=f"bold {style}".strip())

    def list_detail(self, detail: Detail) -> Iterator[Styled]:
        """Yield the lines of what belongs to an entry, of a huge one only the beginning."""
        is_asked_for = isinstance(detail, Text) and self.shows_texts
        yield from self._list_whole(detail) if is_asked_for else _begin(self._list_whole(detail))

    def _list_whole(self, detail: Detail) -> Iterator[Styled]:
        if isinstance(detail, Note):
            yield from map(Styled, make_lines_visible(detail.text))
        elif isinstance(detail, Diff):
            yield from self._list_diff(detail)
        elif isinstance(detail, Transcript):
            yield from self._list_transcript(detail)
        elif isinstance(detail, Facts):
            yield from self._list_facts(detail)
        elif isinstance(detail, Text):
            yield from self._list_text(detail)
        elif not detail.is_minor:
            yield self._name(detail.title)
            yield from self.list_table(detail)

    def _list_diff(self, diff: Diff) -> Iterator[Styled]:
        (expected, actual, agrees), *rest = pair_rows(diff) or [("", "", True)]
        expected = expected if any(diff.expected) else _NOTHING
        rows = [(expected, actual if any(diff.actual) else _NOTHING, agrees), *rest]
        head = (f"-- {diff.titles[0].upper()} --", f"-- {diff.titles[1].upper()} --")
        lines = set_side_by_side([head, *((a, b) for a, b, _ in rows)], self.width)
        if lines is None:
            yield from self._list_below_each_other(head, rows)
            return
        yield Styled(lines[0][0], style="bold")
        for (_, _, agrees), row in zip(rows, lines[1:], strict=True):
            yield from (Styled(line, style="" if agrees else "red") for line in row)

    def _list_below_each_other(
        self, head: tuple[str, str], rows: Sequence[tuple[str, str, bool]]
    ) -> Iterator[Styled]:
        sides = [[(left, agrees) for left, _, agrees in rows], [(right, agrees) for _, right, agrees in rows]]
        for title, side in zip(head, sides, strict=True):
            yield Styled(title, style="bold")
            for text, agrees in side:
                for line in wrap_text(text, self.width or 80) if text else ():
                    yield Styled(line, style="" if agrees else "red")

    def _list_transcript(self, transcript: Transcript) -> Iterator[Styled]:
        yield self._name(transcript.title or "conversation")
        for line in transcript.lines:
            remark = f"  ({make_visible(line.remark)})" if line.remark else ""
            text = f"{make_visible(line.speaker)}: {make_visible(line.text)}{remark}"
            yield Styled(text, style=_COLOURS.get(line.outcome, "yellow"))

    def _list_facts(self, facts: Facts) -> Iterator[Styled]:
        if facts.title:
            yield self._name(facts.title)
        for name, value in facts.rows:
            yield Styled(": ".join(filter(None, (make_visible(name), make_visible(value)))))

    def _list_text(self, text: Text) -> Iterator[Styled]:
        if self.shows_texts or not text.is_minor:
            yield self._name(text.title)
            yield from map(Styled, make_lines_visible(text.text))

    def list_table(self, table: Table) -> Iterator[Styled]:
        """Yield a table line by line; where it is too wide, measurements lose their n first."""
        is_number = [column.look in _NUMBERS for column in table.columns]
        head = [make_visible(column.name) for column in table.columns]
        lines: list[str] = []
        for with_n in (True, False):
            rows = [_show_row(row, table.columns, with_n=with_n) for row in table.rows]
            lines = list(set_table([head, *rows], is_number, self.width))
            if self.width is None or max(map(cell_len, lines)) <= self.width:
                break
        yield Styled(lines[0], style="bold")
        yield from map(_colour_outcome, lines[1:])

    @staticmethod
    def _name(title: str) -> Styled:
        return Styled(f"-- {make_visible(title).upper().replace('(S)', '(s)')} --", style="bold")


def _begin(lines: Iterable[Styled]) -> Iterator[Styled]:
    """Yield lines as long as there is room, and say how much is left out."""
    room, left_out = _MOST_LETTERS, 0
    for line in lines:
        if room > 0:
            yield replace(line, text=line.text[:room])
        left_out += max(0, len(line.text) - max(0, room))
        room -= len(line.text) + 1
    if left_out:
        yield _tell_rest(left_out)


def _tell_rest(letters: int) -> Styled:
    told = f"... and {letters:,} more characters (the page of du-eval report has everything)"
    return Styled(told, style="dim")


def _show_row(row: Sequence[Cell], columns: Sequence[Column], *, with_n: bool) -> list[str]:
    texts = [show_cell(cell, column.look, with_n=with_n) for cell, column in zip(row, columns, strict=True)]
    cut = [text if len(text) <= _WIDEST_CELL else f"{text[:_WIDEST_CELL]}…" for text in texts]
    return ["\n".join(make_lines_visible(text)) for text in cut]


def _colour_outcome(line: str) -> Styled:
    first = line.split(" ", 1)[0]
    if first not in set(Outcome):
        return Styled(line)
    return Styled(line, _COLOURS.get(Outcome(first), "yellow"), len(first))


def list_failures(section: Entries, sheet: Sheet) -> Iterator[Styled]:
    """Yield what failed, by case; then what could not be judged, by reason."""
    sheet = replace(sheet, unit=section.unit.split()[-1] if section.unit else "items")
    failures = [entry for entry in section.entries if entry.is_failure]
    failed = [entry for entry in failures if entry.outcome is Outcome.FAILED]
    if failed:
        yield sheet.make_heading("FAILURES")
        by_case: dict[str, list[Entry]] = {}
        for entry in failed:
            by_case.setdefault(entry.case, []).append(entry)
        samples = _count_samples(section)
        for case, entries in by_case.items():
            yield from _list_case(case, entries, samples, sheet)
    for outcome, told in (
        (Outcome.ERRORED, "ERRORS: {} WITHOUT AN ANSWER"),
        (Outcome.UNDECIDED, "UNDECIDED: {} THAT NO JUDGE COULD DECIDE"),
    ):
        found = [entry for entry in failures if entry.outcome is outcome]
        if found:
            yield Styled()
            yield sheet.make_heading(told.format(section.unit.upper()))
            yield from _list_by_reason(found)


def list_rest(section: Entries, sheet: Sheet) -> Iterator[Styled]:
    """Yield in full what is not among the failures: what passed, was excused, or could not be judged."""
    rest = [entry for entry in section.entries if not (entry.is_failure and entry.outcome is Outcome.FAILED)]
    if rest:
        yield Styled()
        yield sheet.make_heading(f"OTHER {section.unit.upper()}")
    for entry in rest:
        yield Styled()
        sample = f", sample {entry.facet('sample')}" if entry.facet("sample") else ""
        told = f"== {entry.outcome or 'measured'}: {make_visible(entry.case)}{sample}"
        yield Styled(told, style=_COLOURS.get(entry.outcome, "yellow"))
        for detail in entry.detail:
            yield from sheet.list_detail(detail)


def _list_case(case: str, failed: list[Entry], samples: Samples, sheet: Sheet) -> Iterator[Styled]:
    shown = {_find_place(entry): entry for entry in reversed(failed)}
    yield Styled()
    yield Styled(f"------------- test_case: {make_visible(case)} -------------", style="bold red")
    yield Styled()
    count = len(failed) if sheet.unit == "samples" else len(shown)
    yield Styled(f"Number of failed {sheet.unit}: {count}")
    for entry in reversed(shown.values()):
        yield Styled()
        yield from _list_entry(entry, samples, sheet)


def _find_place(entry: Entry) -> tuple[str, ...]:
    """Return what samples that failed at the same place have in common."""
    return (entry.case, entry.place, entry.title) if entry.facet("sample") else (entry.id,)


def _find_step(entry: Entry) -> str:
    """Return what all samples of one step have in common, wherever they fail."""
    return entry.id.removesuffix(f"@{entry.facet('sample')}")


def _count_samples(section: Entries) -> Samples:
    """Return how many samples of each step did not pass, and how many there are."""
    found: dict[str, list[bool]] = {}
    for entry in section.entries:
        if entry.facet("sample"):
            found.setdefault(_find_step(entry), []).append(entry.outcome is not Outcome.PASSED)
    return {step: (sum(bad), len(bad)) for step, bad in found.items()}


def _list_entry(entry: Entry, samples: Samples, sheet: Sheet) -> Iterator[Styled]:
    talks = [one for one in entry.detail if isinstance(one, Transcript)]
    is_talk = any(line.text == entry.title for talk in talks for line in talk.lines)
    told = "failure starting at user message" if is_talk else "failed:"
    title = f"== {told} '{make_visible(entry.title)}'{'.' if is_talk else ''}"
    yield from _begin([Styled(title, style="red")])
    yield Styled(f"   {make_visible(entry.place)}", style="dim")
    if number := entry.facet("sample"):
        bad, total = samples[_find_step(entry)]
        yield Styled(f"   {bad} of {total} samples did not pass; this is sample {number}", style="dim")
    has_diff = any(isinstance(one, Diff) for one in entry.detail)
    if entry.message and not has_diff:
        yield from _begin([Styled(f"   {make_visible(entry.message)}")])
    if not has_diff and (entry.expected or entry.actual):
        for name, text in zip(
            ("expected", "came    "), tell_apart(entry.expected, entry.actual), strict=True
        ):
            yield from _begin([Styled(f"   {name}: {text or _NOTHING}")])
    for place, detail in enumerate(entry.detail):
        lines = list(sheet.list_detail(detail))
        if lines and (place == 0 or not isinstance(detail, Diff | Note)):
            yield Styled()
        yield from lines


def _list_by_reason(entries: list[Entry]) -> Iterator[Styled]:
    by_reason: dict[str, list[Entry]] = {}
    for entry in entries:
        by_reason.setdefault(entry.message, []).append(entry)
    for reason, found in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        yield Styled()
        yield from _begin([Styled(f"{len(found)} x {make_visible(reason)}".rstrip(" x"), style="yellow")])
        for entry in found[:_PLACES_SHOWN]:
            place = f"   {make_visible(entry.place)} '{make_visible(entry.title)}'"
            yield from _begin([Styled(place, style="dim")])
        if len(found) > _PLACES_SHOWN:
            yield Styled(f"   ... and {len(found) - _PLACES_SHOWN} more", style="dim")
