"""YAML 1.2 with line numbers, read from parser events so that nothing is guessed and nothing explodes."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import yaml
from msgspec import Struct

from du_eval.errors import InputError, Problem, find_line
from du_eval.parsers.yaml_scalars import (
    OLD_LINE_BREAKS,
    Anchors,
    cut_comments,
    describe_syntax_problem,
    read_scalar,
    without_old_line_breaks,
)

__all__ = ["YamlDocument", "YamlLimits", "YamlList", "YamlMap", "line_at", "parse_yaml", "read_scalar"]

_PARSER: Any = getattr(yaml, "CSafeLoader", None) or yaml.SafeLoader
_MOST_PIECES = 100
_CALL = re.compile(r"\w+\(")


class YamlLimits(Struct, frozen=True):
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


class YamlDocument(Struct, frozen=True):
    """The content of a file, and what in it may not mean what its author thinks."""

    root: Any
    warnings: tuple[Problem, ...] = ()


def parse_yaml(
    text: str,
    file: str,
    *,
    typed: bool | Collection[str] = False,
    limits: YamlLimits | None = None,
    keeps_calls: bool = False,
) -> YamlDocument:
    """Return the one document of a text.

    Scalars stay text exactly as written, only an empty one is None. With `typed`, unquoted scalars become
    numbers, booleans and null by the core schema: everywhere, or below the top-level keys that it names.
    With `keeps_calls`, a call in a list in brackets, such as `[f(a, b)]`, is not cut at its comma.
    """
    limits = limits or YamlLimits()
    if len(text) > limits.characters:
        raise InputError(Problem(file, 1, f"the file is longer than {limits.characters} characters"))
    text = text.removeprefix("\ufeff")
    builder = _Builder(file, typed, limits)
    if " #" in text or "\t#" in text:
        builder.ends = []
    if not text.isascii() and OLD_LINE_BREAKS.search(text):
        text, builder.restored = without_old_line_breaks(text)
    if keeps_calls:
        builder.text = text
    try:
        builder.read(_PARSER(text))
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise InputError(describe_syntax_problem(error, file, text)) from error
    if builder.problems:
        raise InputError(builder.problems)
    warnings = cut_comments(builder.ends, file, text) if builder.ends else ()
    return YamlDocument(builder.root, warnings)


class _Builder:
    """Turns events into values; one use, one file."""

    def __init__(self, file: str, typed: bool | Collection[str], limits: YamlLimits) -> None:  # noqa: FBT001
        self.file = file
        self.typed_keys = () if isinstance(typed, bool) else typed
        self.typed = typed is True
        self.limits = limits
        self.root: object = None
        self.problems: list[Problem] = []
        self.ends: list[tuple[int, int, int]] | None = None
        """Where unquoted scalars end; collected on request."""
        self.restored: dict[int, str] | None = None
        """Characters that stand for others in the text."""
        self.text = ""
        """The text, where calls in lists are to be kept whole."""
        self._cut: tuple[YamlList, int, int] | None = None
        self._anchors = Anchors()
        self._merges: dict[int, list[YamlMap]] = {}
        self._documents = 0

    # One loop without calls takes a third of the time of small functions.
    def read(self, parser: Any) -> None:  # noqa: C901, PLR0912, PLR0915
        """Read all events and build the values as they come."""
        get_event, lists, maps = parser.get_event, YamlList, YamlMap
        scalar, map_start, list_start = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
        map_end, list_end = yaml.MappingEndEvent, yaml.SequenceEndEvent
        has_ends, restored, most = self.ends is not None, self.restored, self.limits.events
        deepest, anchors, keeps_calls = self.limits.depth, self._anchors, bool(self.text)
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
                if event.tag is not None:
                    self._refuse_tag(event)
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
                if event.anchor is not None:
                    anchors.name_scalar(event.anchor, value)
                if is_map:
                    node[key], key = value, None
                elif node is None:
                    self.root = value
                else:
                    node.append(value)
                    node.lines.append(event.start_mark.line + 1)
                    if keeps_calls and not event.style and type(value) is str:
                        self._keep_call(node, value, event)
            elif kind is map_end or kind is list_end:
                if anchors.is_used:
                    self._finish(node, count)
                node, key = above.pop(), None
            elif kind is map_start or kind is list_start:
                line = event.start_mark.line + 1
                is_map = type(node) is maps
                if event.tag is not None or len(above) >= deepest or is_map:
                    key = self._look_at_start(event, node, key, len(above))
                value = maps(line) if kind is map_start else lists(line)
                if event.anchor is not None:
                    anchors.begin(event.anchor, value, count)
                self._place(node, key, value, line)
                above.append(node)
                node, key = value, None
            elif kind is yaml.AliasEvent:
                key = self._resolve(event, node, key)
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
            return read_scalar(value)
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
        if event.tag is not None:
            self._refuse_tag(event)
        if depth >= self.limits.depth:
            line = event.start_mark.line + 1
            raise InputError(Problem(self.file, line, f"nested deeper than {self.limits.depth} levels"))
        if type(node) is YamlMap and key is None:
            self._refuse(event, "a key must be a plain string", "quote it if it starts with { or [")
            return ""
        return key

    def _resolve(self, event: Any, node: Any, key: str | None) -> str | None:
        """Put what an alias stands for in its place; return the key that waits for a value then."""
        line = int(event.start_mark.line) + 1
        value, problem = self._anchors.resolve(event.anchor)
        if problem:
            hint = "quote the text if it starts with *"
            if self._anchors.is_exhausted:
                raise InputError([*self.problems, Problem(self.file, line, problem, "write fewer of them")])
            self.problems.append(Problem(self.file, line, problem, hint))
        if type(node) is not YamlMap or key is not None:
            if key == "<<" and type(value) is YamlMap:
                self._merges.setdefault(id(node), []).append(value)
            self._place(node, key, value, line)
            return None
        if not problem and not isinstance(value, str):
            self._refuse(event, "a key must be a plain string")
        node.lines[str(value)] = line
        return str(value)

    def _finish(self, node: Any, count: int) -> None:
        """Complete a mapping or list: with what is merged into it, and with its name."""
        for source in self._merges.pop(id(node), ()):
            node.pop("<<", None)
            for key, value in source.items():
                if key not in node:
                    node[key], node.lines[key] = value, source.lines.get(key, source.line)
        self._anchors.end(node, count)

    def _keep_call(self, node: YamlList, value: str, event: Any) -> None:
        """Put a call together again that YAML cut at its commas, exactly as it is written."""
        if self._cut is not None and self._cut[0] is node and len(node) - self._cut[1] < _MOST_PIECES:
            _, index, start = self._cut
            written = self.text[start : event.end_mark.index]
            if written.count("(") <= written.count(")"):
                node[index:] = [" ".join(written.split("\n"))]
                del node.lines[index + 1 :]
                self._cut = None
        elif value.count("(") > value.count(")") and _CALL.match(value):
            self._cut = (node, len(node) - 1, event.start_mark.index)

    def _is_last(self, event: object) -> bool:
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._refuse(event, "a second YAML document starts here", "put it into a file of its own")
        return isinstance(event, yaml.StreamEndEvent)

    def _refuse_tag(self, event: Any) -> None:
        if event.tag and event.tag != "!":
            message = f"the tag '{event.tag}' is not allowed"
            self._refuse(event, message, "quote the text if it starts with !")

    def _refuse(self, event: Any, message: str, hint: str = "") -> None:
        self.problems.append(Problem(self.file, event.start_mark.line + 1, message, hint))


def line_at(node: object, path: tuple[str | int, ...]) -> int:
    """Return the line of the value at a path, or of the closest thing above it."""
    return find_line(node, path, getattr(node, "line", 1))
