"""Where conversations come from: files that workers count and check before the work begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from du_eval.errors import InputError, Problem
from du_eval.parsers.conversations import FORMS, group_rows
from du_eval.parsers.inputs import (
    STANDARD_INPUT,
    Row,
    find_files,
    find_form,
    is_remote,
    json_rows,
    open_input,
    read_line,
    read_rows,
)
from du_eval.quality.dialogue import Dialogue
from du_eval.quality.inputs import (
    PIECE,
    Piece,
    build_dialogue,
    hold_stream,
    is_stream,
    read_range,
    read_text,
)
from du_eval.quality.store import tell_damage
from du_eval.runs.engine import EngineTask, InProcess, WorkEngine, keep_one

STRETCH = 4_000_000
"""How many bytes of a file a worker counts and checks at once."""
_PLAIN = ".txt"
_KEPT, _MANIFEST = "conversations.jsonl", "manifest.json"


class TalkSource(Struct, frozen=True):
    """The files of some conversations, read once, so that damage is known before the work begins."""

    pieces: tuple[Piece, ...]
    """Of files that cannot be read from the middle, there is one that says where they begin."""
    replies: int | None
    """None: nobody knows, as standard input can be read only once."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files of this machine."""
        names = dict.fromkeys(name for piece in self.pieces for name in piece.files)
        return tuple(name for name in names if name != STANDARD_INPUT and not is_remote(name))

    def divide(self) -> Iterator[Piece]:
        """Yield the work."""
        for piece in self.pieces:
            if len(piece.files) == 1 and not piece.end and is_stream(piece.files[0]):
                yield from hold_stream(piece)
            else:
                yield piece


def open_source(paths: Sequence[str], engine: WorkEngine | None = None) -> TalkSource:
    """Return the conversations of files, folders and patterns; raise with everything that is damaged.

    The workers of an engine read them for the first time: they count and check.
    """
    texts, others = _find(paths)
    pieces: list[Piece] = []
    scanned = Scanned()
    stretches = list(_list_stretches(texts, others))
    task = EngineTask(keep_one, PIECE, scan_stretch)
    apart = (engine or InProcess()).map(task, (one for one in stretches if not _is_whole_file(one)))
    for stretch in stretches:
        one = scan_stretch(PIECE, stretch) if _is_whole_file(stretch) else next(apart)
        pieces += one.place_after(scanned)
        scanned = scanned.add(one)
    if scanned.problems:
        raise InputError(scanned.problems)
    pieces += [Piece(scanned.number, (name,)) for name in others if name == STANDARD_INPUT]
    if not pieces:
        raise InputError(
            f"no conversations in {', '.join(paths)} (texts, JSON lines, CSV or Parquet, packed or not)"
        )
    return TalkSource(tuple(pieces), None if STANDARD_INPUT in others else scanned.replies)


def is_small_input(paths: Sequence[str]) -> bool:
    """Tell whether one process is enough, by the sizes of files; what is remote or comes in is large."""
    texts, others = _find(paths)
    if any(name == STANDARD_INPUT or is_remote(name) for name in others):
        return False
    return sum(Path(name).stat().st_size for name in (*texts, *others)) < STRETCH


def _find(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the text files, one conversation each, and the files with many."""
    files: list[str] = []
    for name in paths:
        if name != STANDARD_INPUT and not is_remote(name):
            _check_exists(name)
        files += [name] if name == STANDARD_INPUT else find_files(name, _is_conversation, is_deep=True)
    files = list(dict.fromkeys(files))
    has_lines = {Path(file).parent for file in files if Path(file).name == _KEPT}
    texts = [file for file in files if file != STANDARD_INPUT and not find_form(file)]
    others = [file for file in files if file == STANDARD_INPUT or find_form(file)]
    return [file for file in texts if Path(file).parent.parent not in has_lines], others


def _check_exists(name: str) -> None:
    if not Path(name).exists() and not set(name) & set("*?["):
        raise InputError(f"no such file or folder: {name}")


def _is_conversation(path: Path) -> bool:
    """Tell whether a file of a folder holds conversations; the folder of a run has others, too."""
    if (path.parent / _MANIFEST).exists():
        return path.name == _KEPT
    return path.suffix == _PLAIN or bool(find_form(path.name))


class Scanned(Struct, frozen=True):
    """What was found in a stretch; its pieces, conversations and lines are numbered from its beginning."""

    file: str = ""
    pieces: tuple[Piece, ...] = ()
    number: int = 0
    replies: int = 0
    lines: int = 0
    problems: tuple[Problem, ...] = ()

    def add(self, after: Scanned) -> Scanned:
        """Return the sums with the next stretch; lines count from the beginning of each file."""
        before = self.lines if self.file == after.file else 0
        problems = (replace(one, line=one.line + before * (one.line > 0)) for one in after.problems)
        return Scanned(
            after.file,
            number=self.number + after.number,
            replies=self.replies + after.replies,
            lines=before + after.lines,
            problems=(*self.problems, *problems),
        )

    def place_after(self, before: Scanned) -> Iterator[Piece]:
        """Yield the pieces, numbered from the beginning of everything."""
        lines = before.lines if before.file == self.file else 0
        for piece in self.pieces:
            yield replace(piece, first=piece.first + before.number, line=piece.line + lines)


def _list_stretches(texts: Sequence[str], others: Sequence[str]) -> Iterator[Piece]:
    """Yield what is read at once for the first time: text files, a range of a file, or a stream."""
    for place in range(0, len(texts), PIECE):
        yield Piece(0, tuple(texts[place : place + PIECE]))
    for file in others:
        if file != STANDARD_INPUT and is_stream(file):
            yield Piece(0, (file,))
        elif file != STANDARD_INPUT:
            yield from (Piece(0, (file,), start, end) for start, end in pairwise(_cut(file)))


def _is_whole_file(stretch: Piece) -> bool:
    """Tell whether a stretch is a file of rows that must be read from its beginning."""
    return not stretch.end and bool(find_form(stretch.files[0]))


def _cut(name: str) -> Iterator[int]:
    """Yield places of a file of JSON lines, about evenly, where one conversation ends and another begins."""
    yield 0
    with open_input(name, unpacks=False) as file:
        size = file.seek(0, 2)
        file.seek(0)
        while file.tell() + STRETCH < size:
            file.seek(STRETCH, 1)
            read_line(file, name)
            before: list[Row] = []
            place = file.tell()
            while raw := read_line(file, name):
                rows = list(json_rows([raw]))
                if before and rows and len(list(group_rows([before[-1], rows[0]]))) > 1:
                    yield place
                    break
                before, place = rows or before, file.tell()
    yield size


def scan_stretch(size: int, stretch: Piece) -> Scanned:
    """Count and check the conversations of a stretch."""
    if not stretch.end and not _is_whole_file(stretch):
        return _scan_texts(stretch.files)
    file = stretch.files[0]
    raw = read_range(file, stretch.start, stretch.end) if stretch.end else b""
    groups = group_rows(json_rows([raw], 0, stretch.start) if stretch.end else read_rows(file))
    problems = list[Problem]()
    pieces, number, replies = list[Piece](), 0, 0
    while part := list(islice(groups, size)):
        begin = number
        for group in part:
            try:
                replies += len(build_dialogue(group).exchanges)
                number += 1
            except ValueError as error:
                told = f"no conversation: {tell_damage(error)}"
                problems.append(Problem(file, group[0].line, told, FORMS))
        start, end = part[0][0].start, part[-1][-1].end
        pieces.append(Piece(begin, (file,), start, end, part[0][0].line - 1))
    if not stretch.end and pieces:
        pieces = [Piece(0, (file,))]
    return Scanned(file, tuple(pieces), number, replies, len(raw.splitlines()), tuple(problems))


def _scan_texts(files: tuple[str, ...]) -> Scanned:
    problems, replies = list[Problem](), 0
    for file in files:
        try:
            replies += len(read_text(file).exchanges)
        except InputError as error:
            problems += error.problems
    return Scanned("", (Piece(0, files),), len(files), replies, 0, tuple(problems))


def load_dialogues(paths: Sequence[str]) -> list[Dialogue]:
    """Return all conversations at once, for those who need them together."""
    return list(chain.from_iterable(piece.read() for piece in open_source(paths).divide()))
