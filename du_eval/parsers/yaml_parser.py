"""YAML 1.2 with line numbers, read from parser events so that nothing is guessed and nothing explodes."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import yaml

from du_eval.errors import InputError, Problem

_PARSER: Any = getattr(yaml, "CSafeLoader", None) or yaml.SafeLoader
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OTHER_INTEGER = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_MOST_DIGITS = 4_000
_LINE_END = re.compile(r"\r\n?|\n")
_OLD_LINE_BREAKS = re.compile("[\x85\u2028\u2029]")
_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a file may hold before it is refused."""

    characters: int = 50_000_000
    events: int = 20_000_000
    depth: int = 64


class YamlMap(dict[str, Any]):
    """A mapping that knows the line of itself and of each key."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:  # an empty dict needs no set-up of its own: half the time
        self.line = line
        self.lines: dict[str, int] = {}


class YamlList(list[Any]):
    """A list that knows the line of itself and of each item."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:  # an empty list needs no set-up of its own: half the time
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
    if len(text) > _MOST_DIGITS:
        return text
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
    text = text.removeprefix("\ufeff")
    builder = _Builder(file, typed, limits)
    if " #" in text or "\t#" in text:
        builder.ends = []
    if not text.isascii() and _OLD_LINE_BREAKS.search(text):
        text, builder.restored = _without_old_line_breaks(text)
    try:
        builder.read(_PARSER(text))
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise InputError(_syntax_problem(error, file, text)) from error
    if builder.problems:
        raise InputError(builder.problems)
    warnings = _cut_comments(builder.ends, file, text) if builder.ends else ()
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
        self.ends: list[tuple[int, int, int]] | None = None
        """Where unquoted scalars end; collected on request."""
        self.restored: dict[int, str] | None = None
        """Characters that stand for others in the text."""
        self._documents = 0

    # One loop without calls takes a third of the time of small functions.
    def read(self, parser: Any) -> None:  # noqa: C901, PLR0912, PLR0915
        """Read all events and build the values as they come."""
        get_event, lists, maps = parser.get_event, YamlList, YamlMap
        scalar, map_start, list_start = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
        map_end, list_end = yaml.MappingEndEvent, yaml.SequenceEndEvent
        has_ends, restored, most = self.ends is not None, self.restored, self.limits.events
        deepest = self.limits.depth
        node: Any = None
        key: str | None = None
        above: list[Any] = []
        count = 0
        while count <= most:
            event = get_event()
            kind = type(event)
            count += 1
            if kind is scalar:
                value = event.value
                if event.anchor is not None or event.tag is not None:
                    self._refuse_extras(event)
                if restored is not None:
                    value = value.translate(restored)
                is_map = type(node) is maps
                if is_map and key is None:
                    line = event.start_mark.line + 1
                    if value in node.lines or len(above) == 1:
                        self._look_at_key(node, value, line, is_top=len(above) == 1)
                    node.lines[value] = line
                    key = value
                    continue
                if not event.style:
                    value = self._plain(value, event) if has_ends or self.typed else value or None
                if is_map:
                    node[key], key = value, None
                elif node is None:
                    self.root = value
                else:
                    node.append(value)
                    node.lines.append(event.start_mark.line + 1)
            elif kind is map_end or kind is list_end:
                node, key = above.pop(), None
            elif kind is map_start or kind is list_start:
                line = event.start_mark.line + 1
                is_map = type(node) is maps
                if event.anchor is not None or event.tag is not None or len(above) >= deepest or is_map:
                    key = self._look_at_start(event, node, key, len(above))
                value = maps(line) if kind is map_start else lists(line)
                self._place(node, key, value, line)
                above.append(node)
                node, key = value, None
            elif kind is yaml.AliasEvent:
                self._place(node, key, None, self._refuse_alias(event))
                key = None if key is not None or type(node) is not maps else ""
            elif self._is_last(event):
                return
        self._refuse(event, f"the file holds more than {most} YAML events")

    def _place(self, node: Any, key: str | None, value: Any, line: int) -> None:
        """Put a value that is no scalar where it belongs."""
        if type(node) is YamlMap:
            node[key or ""] = value
        elif node is None:
            self.root = value
        else:
            node.append(value)
            node.lines.append(line)

    def _plain(self, value: str, event: Any) -> object:
        if self.ends is not None:
            self.ends.append((event.end_mark.line, event.end_mark.column, event.start_mark.line + 1))
        if self.typed:
            return typed_scalar(value)
        return value or None

    def _look_at_key(self, mapping: YamlMap, key: str, line: int, *, is_top: bool) -> None:
        """Look at a key that is there already, or that stands at the top."""
        if key in mapping.lines:
            message = f"the key '{key}' is given twice (first in line {mapping.lines[key]})"
            self.problems.append(Problem(self.file, line, message, "keep one"))
        if self.typed_keys and is_top:
            self.typed = key in self.typed_keys

    def _look_at_start(self, event: Any, node: Any, key: str | None, depth: int) -> str | None:
        """Check the start of a mapping or list; return the key that its place needs."""
        if event.anchor is not None or event.tag is not None:
            self._refuse_extras(event)
        if depth >= self.limits.depth:
            line = event.start_mark.line + 1
            raise InputError(Problem(self.file, line, f"nested deeper than {self.limits.depth} levels"))
        if type(node) is YamlMap and key is None:
            self._refuse(event, "a key must be a plain text", "quote it if it starts with { or [")
            return ""
        return key

    def _refuse_alias(self, event: Any) -> int:
        message = f"the alias '*{event.anchor}' is not allowed"
        self._refuse(event, message, "write the value out, or quote the text")
        return int(event.start_mark.line) + 1

    def _is_last(self, event: Any) -> bool:
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._refuse(event, "a second YAML document starts here", "put it into a file of its own")
        return isinstance(event, yaml.StreamEndEvent)

    def _refuse_extras(self, event: Any) -> None:
        if event.anchor:
            message = f"the anchor '&{event.anchor}' is not allowed"
            self._refuse(event, message, "quote the text if it starts with &")
        if event.tag and event.tag != "!":
            message = f"the tag '{event.tag}' is not allowed"
            self._refuse(event, message, "quote the text if it starts with !")

    def _refuse(self, event: Any, message: str, hint: str = "") -> None:
        self.problems.append(Problem(self.file, event.start_mark.line + 1, message, hint))


def _without_old_line_breaks(text: str) -> tuple[str, dict[int, str]]:
    """Replace characters that end a line for YAML 1.1 but not for 1.2; return the way back, too."""
    present = sorted(set(_OLD_LINE_BREAKS.findall(text)))
    free = (chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
    stand_ins = dict(zip(present, free, strict=False))
    return text.translate(str.maketrans(stand_ins)), {ord(new): old for old, new in stand_ins.items()}


def _syntax_problem(error: Exception, file: str, text: str) -> Problem:
    refused = _REFUSED.search(text)
    if refused is not None:
        line = len(_LINE_END.split(text[: refused.start()]))
        name = f"U+{ord(refused.group()):04X}"
        return Problem(file, line, f"the character {name} is not allowed in YAML", "remove it")
    what = getattr(error, "problem", None) or "not valid"
    mark, opened = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    line = mark.line + 1 if mark else 1
    lines = _LINE_END.split(text)
    last = max((number for number, written in enumerate(lines, 1) if written.strip()), default=1)
    if opened and line > last:
        line, what = min(opened.line + 1, last), "a quote or bracket is not closed"
    written = lines[line - 1].strip() if line <= len(lines) else ""
    shown = f" in {written[:80]!r}" if written else ""
    hint = "check the indentation, and put texts that hold ': ' or start with one of {[*&!@`%|> in quotes"
    return Problem(file, line, f"not valid YAML: {what}{shown}", hint)


def _cut_comments(ends: list[tuple[int, int, int]], file: str, text: str) -> tuple[Problem, ...]:
    """Find texts that YAML cuts at ` #` although no blank follows the hash: hardly a comment."""
    lines = _LINE_END.split(text)
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
