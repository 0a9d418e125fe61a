"""The words of a HOCON text into objects whose keys hold every value that they are given."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol, TypeVar

from du_eval.errors import InputError, Problem
from du_eval.parsers.hocon_lexer import (
    Array,
    Concatenation,
    Given,
    HoconScope,
    Node,
    Path,
    Scalar,
    Substitution,
    TokenKind,
    Word,
    lex_words,
)

_CALL = re.compile(r"(required|file|url|classpath)\(")
_STEP = re.compile(r'\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^."]+))\s*(?:\.|$)')


T = TypeVar("T")


class IncludingDocument(Protocol):
    """The document that a file belongs to: how deep it may go, what is odd in it, and its other files."""

    depth: int
    warnings: list[Problem]

    def include(self, name: str, place: Problem, prefix: Path) -> HoconScope:
        """Return the object of a file that another one includes below a path."""
        ...


def add(scope: HoconScope, key: str, given: Given) -> None:
    """Give a key another value; an object is folded into the one before it."""
    slot = scope.slots.setdefault(key, [])
    if slot and isinstance(slot[-1].value, HoconScope) and isinstance(given.value, HoconScope):
        fold(slot[-1].value, given.value)
    else:
        slot.append(given)


def fold(scope: HoconScope, other: HoconScope) -> None:
    """Give an object all that another one has."""
    for key, slot in other.slots.items():
        for given in slot:
            add(scope, key, given)


class HoconReader:
    """Reads the words of one file from left to right into objects; one use."""

    def __init__(self, text: str, file: str, document: IncludingDocument, prefix: Path) -> None:
        self._words = list(lex_words(text, file))
        self._at = 0
        self._file = file
        self._document = document
        self._depth = document.depth
        self._prefix = self._place = prefix

    def read(self) -> HoconScope:
        """Return the fields of the file; the outer braces may be left out."""
        self._skip_lines()
        if self._is("["):
            raise self._error("there is a list where an object is needed", "start with { or with a key")
        if self._is("{"):
            root = self._object()
            self._skip_lines()
        else:
            root = self._fields("", self._word.line)
        if self._word.kind is not TokenKind.END:
            raise self._error(f"unexpected {self._shown}", "check the braces")
        return root

    @property
    def _word(self) -> Word:
        return self._words[self._at]

    @property
    def _shown(self) -> str:
        word = self._word
        return f"'{word.text}'" if word.text.strip() else f"the {word.kind}"

    def _is(self, mark: str) -> bool:
        return self._word.kind is TokenKind.MARK and self._word.text == mark

    def _take(self) -> Word:
        word = self._words[self._at]
        self._at += 1
        return word

    def _skip_lines(self) -> None:
        while self._word.kind is TokenKind.NEWLINE:
            self._at += 1

    def _error(self, message: str, hint: str = "") -> InputError:
        return InputError(Problem(self._file, self._word.line, message, hint))

    def _nested(self, closing: str, read: Callable[[int], T]) -> T:
        """Return what stands between two brackets; `read` gets the line of the first."""
        opening = self._take()
        self._depth -= 1
        if self._depth < 0:
            raise self._error("nested too deeply", "no test case needs that; check the brackets")
        found = read(opening.line)
        if not self._is(closing):
            message = f"the '{opening.text}' of line {opening.line} is not closed: found {self._shown}"
            raise self._error(message, f"add a {closing}")
        self._take()
        self._depth += 1
        return found

    def _object(self) -> HoconScope:
        return self._nested("}", lambda line: self._fields("}", line))

    def _fields(self, end: str, line: int) -> HoconScope:
        scope, place, literal = HoconScope(self._file, line), self._place, dict[Path, int]()
        self._skip_lines()
        while self._word.kind is not TokenKind.END and not (end and self._is(end)):
            if self._at_include():
                fold(scope, self._include())
            else:
                self._field(scope, literal)
                self._place = place
            if not self._separated(end):
                break
        return scope

    def _separated(self, end: str) -> bool:
        """Pass what separates two elements; return False where the next word cannot start one."""
        line_ended = self._word.kind is TokenKind.NEWLINE
        self._skip_lines()
        if self._is(","):
            self._take()
            self._skip_lines()
            if self._is(","):
                raise self._error("two commas in a row", "remove one")
            return True
        return line_ended or self._word.kind is TokenKind.END or self._is(end)

    def _at_include(self) -> bool:
        word, following = self._word, self._words[min(self._at + 1, len(self._words) - 1)]
        if word.kind is not TokenKind.PLAIN or word.text != "include":
            return False
        return following.kind is TokenKind.QUOTED or bool(_CALL.match(following.text))

    def _include(self) -> HoconScope:
        line = self._take().line
        calls = ""
        while self._word.kind is TokenKind.PLAIN:
            calls += self._take().text
        if "url(" in calls or "classpath(" in calls:
            raise self._error("only files can be included", 'write include "file.hocon"')
        if self._word.kind is not TokenKind.QUOTED:
            raise self._error("an include needs the name of a file in quotes", 'write include "file.hocon"')
        name = self._take().text
        if calls:
            if self._word.text != ")" * calls.count("("):
                raise self._error("the include is not closed", "close it with )")
            self._take()
        return self._document.include(name, Problem(self._file, line, ""), self._place)

    def _field(self, scope: HoconScope, literal: dict[Path, int]) -> None:
        """Read one `path: value` into an object; `+=` adds to what the path had."""
        line = self._word.line
        path = self._key()
        adds = False
        if not self._is("{"):
            if not (self._is(":") or self._is("=") or self._is("+=")):
                raise self._error(
                    f"the key '{'.'.join(path)}' has no value: found {self._shown}", "write key: value"
                )
            adds = self._take().text == "+="
            self._skip_lines()
        self._place = (*self._place, *path)
        value = self._value()
        first = literal.setdefault(path, line)
        if first != line and not adds and isinstance(value, Scalar | Array):
            message = f"the key '{'.'.join(path)}' is given twice (first in line {first})"
            warning = Problem(self._file, line, message, "only the last one counts; keep one")
            self._document.warnings.append(warning)
        for step in path[:-1]:
            add(scope, step, Given(HoconScope(self._file, line), self._file, line))
            inner = scope.slots[step][-1].value
            assert isinstance(inner, HoconScope)
            scope = inner
        add(scope, path[-1], Given(value, self._file, line, adds))

    def _key(self) -> Path:
        steps: list[str] = [""]
        quoted: set[int] = set()
        first = self._at
        while self._word.kind in {TokenKind.PLAIN, TokenKind.QUOTED}:
            word = self._take()
            blanks = word.blanks if self._at - 1 > first else ""
            if word.kind is TokenKind.QUOTED:
                quoted.add(len(steps) - 1)
            pieces = [word.text] if word.kind is TokenKind.QUOTED else word.text.split(".")
            steps[-1] += blanks + pieces[0]
            steps.extend(pieces[1:])
        if self._at == first:
            raise self._error(f"a key is missing: found {self._shown}", "write key: value")
        if any(not step and place not in quoted for place, step in enumerate(steps)):
            raise self._error(
                f"the key '{'.'.join(steps)}' has an empty step", "quote a key that contains a dot"
            )
        return tuple(steps)

    def _value(self) -> Node:
        parts: list[Node] = []
        line = self._word.line
        while (part := self._part()) is not None:
            parts.append(part)
        if not parts:
            raise self._error(f"a value is missing: found {self._shown}", 'write an empty string as ""')
        return parts[0] if len(parts) == 1 else Concatenation(tuple(parts), line)

    def _part(self) -> Node | None:
        word = self._word
        if word.kind in {TokenKind.PLAIN, TokenKind.QUOTED}:
            self._take()
            return Scalar(word.text, word.kind is TokenKind.QUOTED, word.line, word.blanks)
        if word.kind is TokenKind.REFERENCE:
            self._take()
            path = _path(word.text)
            if path is None:
                raise self._error(f"'${{{word.text}}}' is not a path", "write ${key.key}")
            return Substitution(path, word.optional, word.line, self._file, self._prefix, word.blanks)
        if self._is("{"):
            return self._object()
        return self._nested("]", self._array) if self._is("[") else None

    def _array(self, line: int) -> Array:
        items: list[Node] = []
        self._skip_lines()
        while not self._is("]") and self._word.kind is not TokenKind.END:
            items.append(self._value())
            if not self._separated("]"):
                break
        return Array(tuple(items), line)


def _path(text: str) -> Path | None:
    steps, at = [], 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            return None
        steps.append(match["quoted"] if match["quoted"] is not None else match["plain"].strip())
        at = match.end()
    return tuple(steps) if steps and not text.rstrip().endswith(".") else None
