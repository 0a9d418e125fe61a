"""Conversations of any number: which files hold them, and pieces of them that workers read for themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from du_eval.chatters.replies import ReplyStatus
from du_eval.errors import InputError, Problem
from du_eval.parsers.conversations import FORMS, find_name, group_rows, read_exchanges
from du_eval.parsers.inputs import (
    JSON_LINES,
    STANDARD_INPUT,
    Row,
    find_form,
    json_rows,
    open_input,
    read_rows,
    read_whole,
)
from du_eval.parsers.text_files import decode_text
from du_eval.quality.dialogue import Dialogue, MarkedExchange
from du_eval.quality.store import from_text

PIECE = 50
"""How many conversations are assessed at once, whoever does it: results are the same everywhere."""


class Piece(Struct, frozen=True):
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
        found = self._read_range() if self.end else map(read_text, self.files)
        return [replace(one, number=number) for number, one in enumerate(found, self.first)]

    def _read_range(self) -> list[Dialogue]:
        changed = InputError(
            Problem(self.files[0], self.line, "the file was changed while it was being read")
        )
        raw = read_range(self.files[0], self.start, self.end)
        if len(raw) != self.end - self.start:
            raise changed
        try:
            return [*map(build_dialogue, group_rows(json_rows([raw], self.line, self.start)))]
        except ValueError as error:
            raise changed from error


def is_stream(name: str) -> bool:
    """Tell whether a file must be read from its beginning."""
    if name == STANDARD_INPUT or find_form(name) not in JSON_LINES:
        return name == STANDARD_INPUT or bool(find_form(name))
    with open_input(name, unpacks=False) as file:
        return file.read(2) == b"\x1f\x8b"


def hold_stream(piece: Piece) -> Iterator[Piece]:
    """Yield the conversations of a file that is read from its beginning."""
    name, number = piece.files[0], piece.first
    groups = group_rows(read_rows(name))
    while part := list(islice(groups, PIECE)):
        try:
            held = tuple(
                replace(build_dialogue(one), number=number + place) for place, one in enumerate(part)
            )
        except ValueError as error:
            raise InputError(Problem(name, part[0][0].line, f"no conversation: {error}", FORMS)) from error
        yield Piece(number, held=held)
        number += len(held)


def read_range(name: str, start: int, end: int) -> bytes:
    """Return some bytes of a file."""
    with open_input(name, unpacks=False) as file:
        file.seek(start)
        return file.read(end - start)


def read_text(file: str) -> Dialogue:
    """Return the conversation of a text file."""
    return from_text(decode_text(read_whole(file), file), 0, file)


def build_dialogue(group: Sequence[Row]) -> Dialogue:
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


def hold_dialogues(dialogues: Sequence[Dialogue]) -> Iterator[Piece]:
    """Yield conversations that are in memory in pieces; their numbers stay."""
    for place in range(0, len(dialogues), PIECE):
        yield Piece(dialogues[place].number, held=tuple(dialogues[place : place + PIECE]))
