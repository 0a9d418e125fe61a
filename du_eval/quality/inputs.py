"""Conversations of any number: which files hold them, and pieces of them that workers read for themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

from du_eval.chatters.replies import ReplyStatus
from du_eval.errors import InputError, Problem
from du_eval.parsers.conversations import FORMS, find_name, group_rows, read_exchanges
from du_eval.parsers.inputs import (
    JSON_LINES,
    STANDARD_INPUT,
    Row,
    find_files,
    find_form,
    is_remote,
    json_rows,
    open_input,
    raw_blocks,
    read_rows,
)
from du_eval.parsers.text_files import decode_text
from du_eval.quality.dialogue import Dialogue, MarkedExchange
from du_eval.quality.store import from_text, tell_damage

PIECE = 200
"""How many conversations are assessed at once, whoever does it: results are the same everywhere."""
_PLAIN = ".txt"
_KEPT, _MANIFEST = "conversations.jsonl", "manifest.json"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some conversations that follow each other: names of files, a range of one, or the conversations."""

    first: int
    """The number of the first conversation."""
    files: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    """The range of bytes, of a file of JSON lines."""
    line: int = 0
    held: tuple[Dialogue, ...] = ()

    def read(self) -> list[Dialogue]:
        """Return the conversations, numbered."""
        if self.held:
            return [*self.held]
        found = self._read_range() if self.end else map(_read_text, self.files)
        return [replace(one, number=number) for number, one in enumerate(found, self.first)]

    def _read_range(self) -> Iterator[Dialogue]:
        with open_input(self.files[0], unpacks=False) as file:
            file.seek(self.start)
            rows = json_rows([file.read(self.end - self.start)], self.line, self.start)
            yield from (_build(group) for group in group_rows(rows))


@dataclass(frozen=True, slots=True)
class TalkSource:
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
            if len(piece.files) == 1 and not piece.end and _is_stream(piece.files[0]):
                yield from _hold_stream(piece)
            else:
                yield piece


def open_source(paths: Sequence[str]) -> TalkSource:
    """Return the conversations of files, folders and patterns; raise with everything that is damaged."""
    texts, others = _find(paths)
    problems: list[Problem] = []
    pieces: list[Piece] = []
    number = replies = 0
    for place in range(0, len(texts), PIECE):
        files = tuple(texts[place : place + PIECE])
        pieces.append(Piece(number, files))
        number += len(files)
        for file in files:
            try:
                replies += len(_read_text(file).exchanges)
            except InputError as error:
                problems += error.problems
    for file in others:
        if file == STANDARD_INPUT:
            pieces.append(Piece(number, (file,)))
            continue
        found = _Scanned(file, number)
        pieces += found.scan(problems)
        number, replies = found.number, replies + found.replies
    if problems:
        raise InputError(problems)
    if not number and STANDARD_INPUT not in others:
        raise InputError(
            f"no conversations in {', '.join(paths)} (texts, JSON lines, CSV or Parquet, packed or not)"
        )
    return TalkSource(tuple(pieces), None if STANDARD_INPUT in others else replies)


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
        raise InputError(f"there is no file or folder {name}")


def _is_conversation(path: Path) -> bool:
    """Tell whether a file of a folder holds conversations; the folder of a run has others, too."""
    if (path.parent / _MANIFEST).exists():
        return path.name == _KEPT
    return path.suffix == _PLAIN or bool(find_form(path.name))


def _is_stream(name: str) -> bool:
    """Tell whether a file must be read from its beginning."""
    if name == STANDARD_INPUT or find_form(name) not in JSON_LINES:
        return name == STANDARD_INPUT or bool(find_form(name))
    with open_input(name, unpacks=False) as file:
        return file.read(2) == b"\x1f\x8b"


class _Scanned:
    """A file that is read for the first time: counted and checked."""

    def __init__(self, file: str, number: int) -> None:
        self.file, self.number, self.replies = file, number, 0

    def scan(self, problems: list[Problem]) -> list[Piece]:
        """Return the pieces of the file."""
        pieces: list[Piece] = []
        is_stream, first = _is_stream(self.file), self.number
        groups = group_rows(read_rows(self.file))
        while part := list(islice(groups, PIECE)):
            begin = self.number
            for group in part:
                try:
                    self.replies += len(_build(group).exchanges)
                    self.number += 1
                except ValueError as error:
                    problems.append(
                        Problem(self.file, group[0].line, f"no conversation: {tell_damage(error)}", FORMS)
                    )
            start, end = part[0][0].start, part[-1][-1].end
            pieces.append(Piece(begin, (self.file,), start, end, part[0][0].line - 1))
        return [Piece(first, (self.file,))] if is_stream and pieces else pieces


def _hold_stream(piece: Piece) -> Iterator[Piece]:
    """Yield the conversations of a file that is read from its beginning."""
    name, number = piece.files[0], piece.first
    groups = group_rows(read_rows(name))
    while part := list(islice(groups, PIECE)):
        try:
            held = tuple(replace(_build(one), number=number + place) for place, one in enumerate(part))
        except ValueError as error:
            raise InputError(Problem(name, part[0][0].line, f"no conversation: {error}", FORMS)) from error
        yield Piece(number, held=held)
        number += len(held)


def _read_text(file: str) -> Dialogue:
    return from_text(decode_text(b"".join(raw_blocks(file)), file), 0, file)


def _build(group: Sequence[Row]) -> Dialogue:
    """Return the conversation of some rows: as a quality run keeps it, or in any other form."""
    first = group[0].values
    if len(group) == 1 and isinstance(first, dict) and "exchanges" in first:
        return Dialogue.from_data(first)
    found = tuple(
        MarkedExchange(
            one.source or "", one.response, ReplyStatus.ANSWERED if one.response else ReplyStatus.EMPTY
        )
        for one in read_exchanges(group)
    )
    if not found:
        raise ValueError("no reply of a bot")
    return Dialogue(0, found, name=find_name(group) or _find_id(first))


def _find_id(values: object) -> str:
    """Return what a row with a whole conversation calls it."""
    found = values.get("id", values.get("name", "")) if isinstance(values, dict) else ""
    return str(found) if isinstance(found, str | int) else ""


def load_dialogues(paths: Sequence[str]) -> list[Dialogue]:
    """Return all conversations at once, for those who need them together."""
    return list(chain.from_iterable(piece.read() for piece in open_source(paths).divide()))


def hold_dialogues(dialogues: Sequence[Dialogue]) -> Iterator[Piece]:
    """Yield conversations that are in memory in pieces; their numbers stay."""
    for place in range(0, len(dialogues), PIECE):
        yield Piece(dialogues[place].number, held=tuple(dialogues[place : place + PIECE]))
