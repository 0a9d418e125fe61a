"""From the fields of HOCON texts to one value: merging, references, and a budget against explosions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import Struct, field

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
)

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_NOTHING: Any = object()
"""The value of an optional reference that leads nowhere."""


class HoconMap(dict[str, Any]):
    """An object that knows the file and line of itself and of each key."""

    __slots__ = ("file", "files", "line", "lines")

    def __init__(self, file: str, line: int) -> None:
        super().__init__()
        self.file = file
        self.line = line
        self.lines: dict[str, int] = {}
        self.files: dict[str, str] = {}

    def put(self, key: str, value: object, place: tuple[str, int]) -> None:
        """Set a key and where it stands."""
        self[key] = value
        self.files[key], self.lines[key] = place


class HoconList(list[Any]):
    """A list that knows the file and line of itself, and the line of each item."""

    __slots__ = ("file", "line", "lines")

    def __init__(self, file: str, line: int) -> None:
        super().__init__()
        self.file = file
        self.line = line
        self.lines: list[int] = []


class Resolver(Struct):
    """Resolves one document; one use."""

    root: HoconScope
    environment: Mapping[str, str] | None
    budget: int
    _open: dict[int, int] = field(default_factory=dict)
    _limited: int = 0
    _known: dict[int, Any] = field(default_factory=dict)

    def resolve(self) -> HoconMap:
        """Return the value of the whole document."""
        return self._scope(self.root)

    def _scope(self, scope: HoconScope) -> HoconMap:
        result = HoconMap(scope.file, scope.line)
        for key, slot in scope.slots.items():
            value = self._slot(slot, scope.slots[key][-1])
            if value is not _NOTHING:
                result.put(key, value, (slot[-1].file, slot[-1].line))
        return result

    def _slot(self, slot: list[Given], asker: Given) -> Any:
        """Return what a key holds: its last value, merged over the earlier ones where both are objects."""
        if id(slot) in self._known:
            self._spend(self._known[id(slot)], asker)
            return self._known[id(slot)]
        before = self._limited
        end = self._open.get(id(slot), len(slot))
        if end < len(slot):
            self._limited += 1
        value = self._merged(slot, end)
        if self._limited == before:
            self._known[id(slot)] = value
        return value

    def _merged(self, slot: list[Given], end: int) -> Any:
        value = _NOTHING
        for index in range(end - 1, -1, -1):
            with self._resolving(slot, index):
                below = self._given(slot, index)
            if below is _NOTHING:
                continue
            if value is _NOTHING:
                value = below
            elif isinstance(below, HoconMap):
                value = self._over(below, value, slot[index])
            if not isinstance(below, HoconMap):
                break
        return value

    @contextmanager
    def _resolving(self, slot: list[Given], index: int) -> Iterator[None]:
        outer = self._open.get(id(slot))
        self._open[id(slot)] = index
        try:
            yield
        finally:
            if outer is None:
                del self._open[id(slot)]
            else:
                self._open[id(slot)] = outer

    def _given(self, slot: list[Given], index: int) -> Any:
        given = slot[index]
        value = self._node(given.value, given)
        if not given.adds:
            return value
        earlier = self._merged(slot, index)
        result = HoconList(given.file, given.line)
        if earlier is not _NOTHING:
            if not isinstance(earlier, list):
                raise _error(given, "'+=' needs a list before it", "write the whole list")
            result.extend(earlier)
        if value is not _NOTHING:
            result.append(value)
        result.lines = [given.line] * len(result)
        return result

    def _over(self, below: HoconMap, above: HoconMap, place: Given) -> HoconMap:
        self._spend(below, place)
        result = HoconMap(above.file, above.line)
        for key, value in below.items():
            result.put(key, value, (below.files[key], below.lines[key]))
        for key, value in above.items():
            old = result.get(key)
            both = isinstance(old, HoconMap) and isinstance(value, HoconMap)
            merged = self._over(old, value, place) if both else value  # type: ignore[arg-type]
            result.put(key, merged, (above.files[key], above.lines[key]))
        return result

    def _node(self, node: Node, place: Given) -> Any:
        match node:
            case Scalar():
                return _typed(node, place)
            case Substitution():
                return self._reference(node)
            case Array():
                return self._array(node, place)
            case Concatenation():
                return self._joined(node, place)
            case HoconScope():
                return self._scope(node)

    def _array(self, node: Array, place: Given) -> HoconList:
        result = HoconList(place.file, node.line)
        for item in node.items:
            value = self._node(item, place)
            if value is not _NOTHING:
                result.append(value)
                result.lines.append(item.line)
        return result

    def _joined(self, node: Concatenation, place: Given) -> Any:
        values = [self._node(part, place) for part in node.parts]
        present = [value for value in values if value is not _NOTHING]
        if present and all(isinstance(value, HoconMap) for value in present):
            result = present[0]
            for value in present[1:]:
                result = self._over(result, value, place)
            return result
        if present and all(isinstance(value, list) for value in present):
            joined = HoconList(place.file, node.line)
            for value in present:
                joined.extend(value)
            joined.lines = [node.line] * len(joined)
            return joined
        if any(isinstance(value, dict | list) for value in present):
            raise _error(
                place, "objects, lists and texts cannot be joined", "put a comma or a new line between them"
            )
        return self._text(node, values, place) if present else _NOTHING

    def _text(self, node: Concatenation, values: list[Any], place: Given) -> str:
        pieces = []
        for index, (part, value) in enumerate(zip(node.parts, values, strict=True)):
            written = part.text if isinstance(part, Scalar) else _as_text(value)
            pieces.append((part.blanks if index else "") + written)
        text = "".join(pieces)
        self._spend(text, place)
        return text

    def _reference(self, node: Substitution) -> Any:
        place = Given(node, node.file, node.line)
        for path in (node.prefix + node.path, node.path) if node.prefix else (node.path,):
            value = self._lookup(self.root, path, place)
            if value is not _NOTHING:
                self._spend(value, place)
                return value
        name = ".".join(node.path)
        if self.environment is not None and name in self.environment:
            return self.environment[name]
        if node.optional:
            return _NOTHING
        hint = (
            "environment variables are off here; allow them with --allow-env"
            if self.environment is None
            else ""
        )
        raise _error(
            place, f"'${{{name}}}' refers to nothing, or only to itself", hint or "set the key, or ${?...}"
        )

    def _lookup(self, scope: HoconScope, path: Path, place: Given) -> Any:
        slot = scope.slots.get(path[0])
        if slot is None:
            return _NOTHING
        if len(path) == 1:
            return self._slot(slot, place)
        if len(slot) == 1 and isinstance(slot[0].value, HoconScope):
            return self._lookup(slot[0].value, path[1:], place)
        value = self._slot(slot, place)
        for step in path[1:]:
            value = value.get(step, _NOTHING) if isinstance(value, dict) else _NOTHING
        return value

    def _spend(self, value: object, place: Given) -> None:
        self.budget -= _size(value)
        if self.budget < 0:
            raise _error(place, "references make the document too large", "write fewer of them")


def _size(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(_size, value))
    return 1 + len(value) // 64 if isinstance(value, str) else 1


def _typed(node: Scalar, place: Given) -> object:
    text = node.text
    if node.quoted:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        if len(text) > 400:
            raise _error(place, "a number has more than 400 digits", "quote it")
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _as_text(value: object) -> str:
    if value is _NOTHING:
        return ""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)


def _error(place: Given, message: str, hint: str) -> InputError:
    return InputError(Problem(place.file, place.line, message, hint))
