"""YAML 1.2 with line numbers, read from parser events so that nothing is guessed and nothing explodes."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import yaml

from du_eval.errors import InputError, Problem

_PARSER: Any = getattr(yaml, "CParser", None) or yaml.SafeLoader
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OTHER_INTEGER = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a file may hold before it is refused."""

    characters: int = 50_000_000
    events: int = 20_000_000
    depth: int = 64


class YamlMap(dict[str, Any]):
    """A mapping that knows the line of itself and of each key."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


class YamlList(list[Any]):
    """A list that knows the line of itself and of each item."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: list[int] = []


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """The content of a file, and what in it may not mean what its author thinks."""

    root: Any
    warnings: tuple[Problem, ...] = ()


def typed_scalar(text: str) -> object:
    """Return the value of an unquoted scalar by the core schema of YAML 1.2."""
    if text in _SPECIAL:
        return _SPECIAL[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OTHER_INTEGER.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def parse_yaml(
    text: str, file: str, *, typed: bool | Collection[str] = False, limits: Limits | None = None
) -> YamlDocument:
    """Return the one document of a text.

    Scalars stay text exactly as written, only an empty one is None. With `typed`, unquoted scalars become
    numbers, booleans and null by the core schema: everywhere, or below the top-level keys that it names.
    """
    limits = limits or Limits()
    if len(text) > limits.characters:
        raise InputError(Problem(file, 1, f"the file is longer than {limits.characters} characters"))
    builder = _Builder(file, typed, limits)
    try:
        builder.read(_PARSER(text.removeprefix("\ufeff")))
    except yaml.YAMLError as error:
        raise InputError(_syntax_problem(error, file, text)) from error
    if builder.problems:
        raise InputError(builder.problems)
    warnings = _cut_comments(builder.ends, file, text) if " #" in text else ()
    return YamlDocument(builder.root, warnings)


class _Builder:
    """Turns events into values; one use, one file."""

    def __init__(self, file: str, typed: bool | Collection[str], limits: Limits) -> None:  # noqa: FBT001
        self.file = file
        self.typed_keys = () if isinstance(typed, bool) else typed
        self.typed = typed is True
        self.limits = limits
        self.root: Any = None
        self.problems: list[Problem] = []
        self.ends: list[tuple[int, int, int]] = []
        self._stack: list[YamlMap | YamlList] = []
        self._keys: list[str | None] = []
        self._documents = 0

    def read(self, parser: Any) -> None:
        scalar, end_types = yaml.ScalarEvent, (yaml.MappingEndEvent, yaml.SequenceEndEvent)
        get_event, count, most = parser.get_event, 0, self.limits.events
        while (event := get_event()) is not None:
            count += 1
            kind = type(event)
            if kind is scalar:
                self._scalar(event)
            elif kind in end_types:
                self._close()
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._open(event, YamlMap if kind is yaml.MappingStartEvent else YamlList)
            elif not self._other(event):
                return
            if count > most:
                self._refuse(event, f"the file holds more than {most} YAML events")
                return

    def _scalar(self, event: Any) -> None:
        mark = event.start_mark
        line = mark.line + 1
        if event.anchor or (event.tag and event.tag != "!"):
            self._refuse_extras(event)
        plain = event.style is None or event.style == ""
        stack = self._stack
        if stack and type(stack[-1]) is YamlMap and self._keys[-1] is None:
            self._key(event.value, line)
            return
        value: object = event.value
        if plain:
            self.ends.append((event.end_mark.line, event.end_mark.column, line))
            if self.typed:
                value = typed_scalar(event.value)
            elif not event.value:
                value = None
        self._place(value, line)

    def _key(self, key: str, line: int) -> None:
        mapping = self._stack[-1]
        if key in mapping:
            first = mapping.lines[key]  # type: ignore[call-overload]
            self.problems.append(
                Problem(self.file, line, f"the key '{key}' is given twice (first in line {first})", "keep one")
            )
        mapping.lines[key] = line  # type: ignore[index]
        self._keys[-1] = key
        if len(self._stack) == 1 and self.typed_keys:
            self.typed = key in self.typed_keys

    def _place(self, value: object, line: int) -> None:
        if not self._stack:
            self.root = value
            return
        parent = self._stack[-1]
        if type(parent) is YamlMap:
            parent[self._keys[-1]] = value  # type: ignore[index]
            self._keys[-1] = None
        else:
            parent.append(value)  # type: ignore[union-attr]
            parent.lines.append(line)  # type: ignore[union-attr]

    def _open(self, event: Any, kind: type[YamlMap] | type[YamlList]) -> None:
        line = event.start_mark.line + 1
        if event.anchor or event.tag:
            self._refuse_extras(event)
        node = kind(line)
        if self._stack and type(self._stack[-1]) is YamlMap and self._keys[-1] is None:
            self._refuse(event, "a key must be a plain text", "quote it if it starts with { or [")
            self._keys[-1] = ""
        self._place(node, line)
        self._stack.append(node)
        self._keys.append(None)
        if len(self._stack) > self.limits.depth:
            raise InputError(Problem(self.file, line, f"nested deeper than {self.limits.depth} levels"))

    def _close(self) -> None:
        self._stack.pop()
        self._keys.pop()

    def _other(self, event: Any) -> bool:
        """Handle the rare events; return False at the end of the stream."""
        if isinstance(event, yaml.AliasEvent):
            self._refuse(event, f"the alias '*{event.anchor}' is not allowed", "write the value out, or quote the text")
            self._after_alias(event.start_mark.line + 1)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._refuse(event, "a second YAML document starts here", "put it into a file of its own")
        return not isinstance(event, yaml.StreamEndEvent)

    def _after_alias(self, line: int) -> None:
        if self._stack and type(self._stack[-1]) is YamlMap and self._keys[-1] is None:
            self._keys[-1] = ""
        else:
            self._place(None, line)

    def _refuse_extras(self, event: Any) -> None:
        if event.anchor:
            self._refuse(event, f"the anchor '&{event.anchor}' is not allowed", "quote the text if it starts with &")
        if event.tag:
            self._refuse(event, f"the tag '{event.tag}' is not allowed", "quote the text if it starts with !")

    def _refuse(self, event: Any, message: str, hint: str = "") -> None:
        self.problems.append(Problem(self.file, event.start_mark.line + 1, message, hint))


def _syntax_problem(error: yaml.YAMLError, file: str, text: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "not valid YAML"
    line = mark.line + 1 if mark else 1
    lines = text.split("\n")
    written = lines[line - 1].strip() if line <= len(lines) else ""
    shown = f" in {written[:80]!r}" if written else ""
    hint = "check the indentation, and put texts that hold ': ' or start with one of {[*&!@`%|> in quotes"
    return Problem(file, line, f"not valid YAML: {what}{shown}", hint)


def _cut_comments(ends: list[tuple[int, int, int]], file: str, text: str) -> tuple[Problem, ...]:
    """Find texts that YAML cuts at ` #` although no blank follows the hash: hardly a comment."""
    lines = text.split("\n")
    found = []
    for end_line, column, line in ends:
        if end_line >= len(lines):
            continue
        rest = lines[end_line][column:]
        cut = rest.lstrip()
        if rest[:1] in {" ", "\t"} and cut.startswith("#") and cut[1:2].strip() not in {"", "#"}:
            message = f"the text ends before {cut.strip()[:40]!r}: YAML reads it as a comment"
            found.append(Problem(file, line, message, "quote the whole text, or put a blank after the #"))
    return tuple(found)


def line_at(node: Any, path: tuple[str | int, ...]) -> int:
    """Return the line of the value at a path, or of the closest thing above it."""
    line = getattr(node, "line", 1)
    for part in path:
        lines = getattr(node, "lines", None)
        try:
            line = lines[part] if lines is not None else line
            node = node[part]
        except (KeyError, IndexError, TypeError):
            break
    return int(line)
