"""What a report consists of: sections that every renderer draws, whatever the activity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.errors import ExitCode
from du_eval.reports.arm_sections import ArmMatrix, Trades
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Key
from du_eval.statistics.intervals import Measurement

if TYPE_CHECKING:
    from du_eval.runs.ruling import Ruling

Cell = str | int | float | Measurement | Outcome | None


class Tone(StrEnum):
    """How a note is meant."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    OPEN = "open"
    """Not decided, or not finished."""


class Look(StrEnum):
    """How the cells of a column are drawn."""

    TEXT = "text"
    CODE = "code"
    """In a fixed-width face, never broken inside a name."""
    NUMBER = "number"
    SHARE = "share"
    """A rate from 0 to 1."""
    OUTCOME = "outcome"


class Note(Struct, frozen=True):
    """A sentence that stands on its own."""

    text: str
    tone: Tone = Tone.PLAIN


class Figures(Struct, frozen=True):
    """The figures that a reader looks at first."""

    figures: tuple[Figure, ...]
    title: str = ""


class Column(Struct, frozen=True):
    """A column of a table."""

    name: str
    look: Look = Look.TEXT
    facet: str = ""
    """The facet of the entries that its cells filter by, where clicking filters."""


class Table(Struct, frozen=True):
    """Rows of cells."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    remark: str = ""
    lines: tuple[str, ...] = ()
    """How it is printed at a terminal, where a documented layout asks for other lines."""
    is_minor: bool = False
    """Whether only those who look for it want it: closed on the page, left out on console and in Markdown."""
    lists_cases: bool = False
    """Whether it has a row for each case: left out where only figures are printed."""
    is_whole: bool = False
    """Whether all rows are shown, however many there are."""


class Matrix(Struct, frozen=True):
    """Counts of pairs, such as what was expected and what was predicted."""

    title: str
    row_title: str
    column_title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    facet: str = ""
    """The facet whose values are `row → column`, where clicking filters."""


class Point(Struct, frozen=True):
    """A measured point of a curve."""

    x: float
    measured: Measurement
    label: str = ""


class Curve(Struct, frozen=True):
    """Measured points over a quantity, one line for each series."""

    title: str
    x_title: str
    y_title: str
    series: tuple[tuple[str, tuple[Point, ...]], ...]
    is_share: bool = True
    is_joined: bool = True
    """Whether a line joins the points: it says nothing where they stand for names."""
    is_minor: bool = False
    """Whether its numbers stand in a table, too: it is only drawn where there are pictures."""


class Bars(Struct, frozen=True):
    """How often values fall into bins, or counts by name."""

    title: str
    labels: tuple[str, ...]
    counts: tuple[int, ...]
    unit: str = ""
    remark: str = ""
    is_minor: bool = False
    """Whether only those who look for it want it, as for a table."""


class TranscriptLine(Struct, frozen=True):
    """One utterance or event of a conversation."""

    speaker: str
    text: str
    remark: str = ""
    outcome: Outcome | None = None
    is_code: bool = False
    """Whether it is not said but commands."""


class Transcript(Struct, frozen=True):
    """A conversation."""

    lines: tuple[TranscriptLine, ...]
    title: str = ""


class Diff(Struct, frozen=True):
    """What was expected beside what came."""

    expected: tuple[str, ...]
    actual: tuple[str, ...]
    titles: tuple[str, str] = ("expected", "predicted")
    agrees: tuple[bool, ...] = ()
    """Which rows agree, where the two sides stand row by row already; empty: equal texts are paired."""


class Facts(Struct, frozen=True):
    """Names with their values, in lines."""

    rows: tuple[tuple[str, str], ...]
    title: str = ""


class Text(Struct, frozen=True):
    """A text as it is, such as a prompt or a raw answer."""

    title: str
    text: str
    is_minor: bool = False
    """Whether only those who ask for it want it: closed on the page, left out on the console."""


Detail = Note | Diff | Transcript | Facts | Text | Table


class Entry(Struct, frozen=True):
    """One thing that was judged: a step, a reply, an attempt, a line."""

    id: str
    """Stable over runs, the anchor of its link."""
    outcome: Outcome | None
    place: str
    """`file:line`, or where else to look."""
    case: str
    title: str
    """What was asked."""
    expected: str = ""
    """What was expected; several commands stand in lines of their own."""
    actual: str = ""
    verb: str = "got"
    """How what came is called: a command is predicted, a reply is not."""
    facets: tuple[tuple[str, str], ...] = ()
    """What the list is filtered by, such as (`flow`, `transfer`); a name may come twice."""
    detail: tuple[Detail, ...] = ()
    """What opens below it; empty where the row says it all."""
    message: str = ""
    """Why it did not pass, in one line, for build servers; empty: what was expected and what came."""
    is_excused: bool = False
    """Whether its case passed all the same, because the success ratio allows that: it is no failure."""

    @property
    def is_failure(self) -> bool:
        """Tell whether it is the reason why somebody has to look."""
        return self.outcome not in {Outcome.PASSED, None} and not self.is_excused

    def facet(self, name: str) -> str:
        """Return the first value of a facet; empty where there is none."""
        return next((value for key, value in self.facets if key == name), "")


class Entries(Struct, frozen=True):
    """Everything that was judged, what did not pass first to be seen."""

    title: str
    unit: str
    entries: tuple[Entry, ...]
    tags: tuple[str, ...] = ()
    """The facets whose values rows show on the page; empty: the first two."""


Section = (
    Note | Figures | Table | Matrix | Curve | Bars | Entries | Transcript | Facts | Text | ArmMatrix | Trades
)


class View(Struct, frozen=True):
    """A report before it is drawn."""

    title: str
    kind: str
    headline: Note
    """The sentence that people read first."""
    about: tuple[tuple[str, str], ...] = ()
    """Who was tested, when, with which model and prompt."""
    sections: tuple[Section, ...] = ()
    signature: str = ""
    notes: tuple[str, ...] = field(default=())
    unfinished: str = ""
    """Why the run has no verdict as a whole; empty if everything was asked."""

    def entries(self) -> Iterator[Entry]:
        """Yield everything that was judged."""
        for section in self.sections:
            if isinstance(section, Entries):
                yield from section.entries


def add_ruling(view: View, ruling: Ruling) -> View:
    """Return a view that begins with what the gates say."""
    tone = {ExitCode.PASSED: Tone.GOOD, ExitCode.FAILED: Tone.BAD}.get(ruling.code, Tone.OPEN)
    told = (Note(f"{reason[:1].upper()}{reason[1:]}", tone) for reason in ruling.reasons)
    return replace(view, sections=(*told, *view.sections))


def make_entry_id(key: Key) -> str:
    """Return the id of the entry of a result."""
    parts = [key.file, key.case, key.variant and f"[{key.variant}]", key.step and str(key.step)]
    sample = f"@{key.sample}" if key.sample > 1 else ""
    return "::".join(str(part) for part in parts if part) + sample


def sign_intervals(signature: str, sections: Iterable[Section]) -> str:
    """Return a signature with the methods of all intervals that sections show."""
    return "|".join(filter(None, (signature, name_methods(_list_measured(sections), signature))))


def name_methods(measured: Iterable[Measurement], known: str = "") -> str:
    """Return the methods of all intervals that are not known yet, as a part of a signature."""
    methods = dict.fromkeys(one.method for one in measured if one.interval is not None)
    missing = [method for method in methods if method and method.partition(":")[0] not in known]
    return f"intervals:{'+'.join(missing)}" if missing else ""


def _list_measured(sections: Iterable[Section]) -> Iterator[Measurement]:
    for section in sections:
        if isinstance(section, Figures):
            yield from (one.measured for one in section.figures)
        elif isinstance(section, Table):
            yield from (cell for row in section.rows for cell in row if isinstance(cell, Measurement))
        elif isinstance(section, Curve):
            yield from (point.measured for _, points in section.series for point in points)
