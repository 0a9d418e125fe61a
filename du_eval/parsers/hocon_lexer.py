"""The words of a HOCON text, each with its line, and the values that they make before they are resolved."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from du_eval.errors import InputError, Problem

_WORDS = re.compile(
    r"""
    (?P<BLANK>[^\S\n]+|\ufeff)
    |(?P<COMMENT>(?:\#|//)[^\n]*)
    |(?P<NEWLINE>\n)
    |(?P<TRIPLE>\"{3}(?P<raw>[\s\S]*?)\"{3}(?!\"))
    |(?P<QUOTED>\"(?:[^\"\\\x00-\x1f]|\\.)*\")
    |(?P<REFERENCE>\$\{(?P<optional>\??)(?P<path>(?:\"(?:[^\"\\\n]|\\.)*\"|[^\"}\n])*)\})
    |(?P<MARK>\+=|[{}\[\],:=])
    |(?P<PLAIN>-?[0-9]+(?:\.[0-9]+)?[eE]\+[0-9]+|(?:(?!//)[^$\"{}\[\]:=,+\#`^?!@*&\\\s\ufeff])+)
    """,
    re.VERBOSE,
)


class TokenKind(StrEnum):
    """What a word is."""

    NEWLINE = "end of line"
    QUOTED = "quoted text"
    PLAIN = "text"
    REFERENCE = "reference"
    MARK = "mark"
    END = "end of file"


class Word(Struct, frozen=True):
    """One word, its line, and the blanks between it and the word before it on the line."""

    kind: TokenKind
    text: str
    line: int
    blanks: str = ""
    optional: bool = False


def lex_words(text: str, file: str) -> Iterator[Word]:
    """Yield the words of a text; comments and blanks are left out."""
    position, line, blanks = 0, 1, ""
    while position < len(text):
        match = _WORDS.match(text, position)
        if match is None:
            raise InputError(_misfit(text, position, Problem(file, line, "")))
        if match.lastgroup == "BLANK":
            blanks += match.group()
        elif match.lastgroup != "COMMENT":
            yield _word(match, blanks, Problem(file, line, ""))
            blanks = ""
        line += match.group().count("\n")
        position = match.end()
    yield Word(TokenKind.END, "", line)


def _word(match: re.Match[str], blanks: str, place: Problem) -> Word:
    written = match.group()
    match match.lastgroup:
        case "TRIPLE":
            return Word(TokenKind.QUOTED, match["raw"], place.line, blanks)
        case "QUOTED":
            return Word(TokenKind.QUOTED, _unescaped(written, place), place.line, blanks)
        case "REFERENCE":
            return Word(TokenKind.REFERENCE, match["path"], place.line, blanks, bool(match["optional"]))
        case group:
            return Word(TokenKind[group or ""], written, place.line, blanks)


def _unescaped(written: str, place: Problem) -> str:
    try:
        return str(json.loads(written))
    except ValueError as error:
        message = f"the text {written[:60]} contains an unknown escape sequence"
        raise InputError(Problem(place.file, place.line, message, "double the backslash")) from error


def _misfit(text: str, position: int, place: Problem) -> Problem:
    character = text[position]
    if character == '"':
        message, hint = (
            "a quoted string is not closed on its line",
            'close it with ", or use """ for several lines',
        )
    elif text.startswith("${", position):
        message, hint = "a reference '${...' is not closed on its line", "close it with }"
    else:
        rest = text[position:].split("\n", 1)[0].strip()
        message, hint = (
            f"the character {character!r} in {rest[:40]!r} needs quotes",
            'put the whole text in "quotes"',
        )
    return Problem(place.file, place.line, message, hint)


Path = tuple[str, ...]


class Scalar(Struct, frozen=True):
    """A text as written; only an unquoted one may turn out to be a number, a boolean or null."""

    text: str
    quoted: bool
    line: int
    blanks: str = ""


class Substitution(Struct, frozen=True):
    """A `${path}`, seen from the place where its file was included."""

    path: Path
    optional: bool
    line: int
    file: str
    prefix: Path = ()
    blanks: str = ""


class Array(Struct, frozen=True):
    """A list of values."""

    items: tuple[Any, ...]
    line: int
    blanks: str = ""


class Concatenation(Struct, frozen=True):
    """Values that stand next to each other and become one."""

    parts: tuple[Any, ...]
    line: int
    blanks: str = ""


class HoconScope(Struct):
    """An object whose keys hold every value they were ever given."""

    file: str
    line: int
    slots: dict[str, list[Given]] = field(default_factory=dict)


class Given(Struct):
    """One value that a key was given."""

    value: Node
    file: str
    line: int
    adds: bool = False


Node = Scalar | Substitution | Array | Concatenation | HoconScope
