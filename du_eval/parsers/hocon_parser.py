"""HOCON with line numbers: comments, references and includes, but nothing outside the case's own folder.

A small parser of our own, because test cases come from strangers: it reads no URL, no file outside the
folder, no environment variable unless it is given them, and it has limits on size, depth and growth.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath

from msgspec import Struct, field

from du_eval.errors import InputError, Problem
from du_eval.parsers.hocon_resolver import Given, HoconMap, HoconScope, Resolver
from du_eval.parsers.hocon_tree import (
    Array,
    Concatenation,
    Field,
    Include,
    Node,
    Object,
    Path,
    Substitution,
    tree_of,
)
from du_eval.trust.reading import read_file

_SUFFIXES = ("", ".hocon", ".conf", ".json")


class HoconLimits(Struct, frozen=True):
    """How much a document may hold before it is refused."""

    characters: int = 1_000_000
    depth: int = 64
    includes: int = 50
    nodes: int = 200_000


class HoconSources(Struct, frozen=True):
    """What a document may read besides its own text: files below a folder, and given variables."""

    folder: FilePath | None = None
    environment: Mapping[str, str] | None = None
    limits: HoconLimits = field(default_factory=HoconLimits)


class HoconDocument(Struct, frozen=True):
    """The content of a file, and what in it may not mean what its author thinks."""

    root: HoconMap
    warnings: tuple[Problem, ...] = ()


def parse_hocon(text: str, file: str, sources: HoconSources | None = None) -> HoconDocument:
    """Return the object that a HOCON text describes."""
    sources = sources or HoconSources()
    builder = _Builder(sources)
    try:
        root = builder.document(text, file)
        value = Resolver(root, sources.environment, sources.limits.nodes).resolve()
    except RecursionError as error:
        raise InputError(Problem(file, 1, "references or braces are nested too deeply")) from error
    return HoconDocument(value, tuple(builder.warnings))


class _Builder:
    """Opens objects into scopes, and files into objects; one use, one document."""

    def __init__(self, sources: HoconSources) -> None:
        self.warnings: list[Problem] = []
        self._sources = sources
        self._includes = 0
        self._including: list[FilePath] = []

    def document(self, text: str, file: str) -> HoconScope:
        folder = self._sources.folder
        if folder is not None:
            self._including.append((folder / FilePath(file).name).resolve())
        return self._scope(self._tree(text, file, ()), file, ())

    def _tree(self, text: str, file: str, prefix: Path) -> Object:
        limits = self._sources.limits
        if len(text) > limits.characters:
            raise InputError(Problem(file, 1, f"the file is longer than {limits.characters} characters"))
        return tree_of(text, file, limits.depth, prefix)

    def _scope(self, node: Object, file: str, prefix: Path) -> HoconScope:
        scope = HoconScope(file, node.line)
        literal: dict[Path, int] = {}
        for part in node.fields:
            if isinstance(part, Include):
                self._fold(scope, self._included(part, file, prefix))
                continue
            self._warn_of_repetition(part, literal, file)
            self._assign(scope, part, file, prefix)
        return scope

    def _assign(self, scope: HoconScope, part: Field, file: str, prefix: Path) -> None:
        for step in part.path[:-1]:
            inner = HoconScope(file, part.line)
            self._add(scope, step, Given(inner, file, part.line))
            scope, prefix = _last_scope(scope, step), (*prefix, step)
        key = part.path[-1]
        self._add(
            scope, key, Given(self._opened(part.value, file, (*prefix, key)), file, part.line, part.adds)
        )

    def _add(self, scope: HoconScope, key: str, given: Given) -> None:
        slot = scope.slots.setdefault(key, [])
        if slot and isinstance(slot[-1].value, HoconScope) and isinstance(given.value, HoconScope):
            self._fold(slot[-1].value, given.value)
        else:
            slot.append(given)

    def _fold(self, scope: HoconScope, other: HoconScope) -> None:
        for key, slot in other.slots.items():
            for given in slot:
                self._add(scope, key, given)

    def _opened(self, node: Node, file: str, prefix: Path) -> HoconScope | Node:
        """Return a value with every object in it opened."""
        if isinstance(node, Object):
            return self._scope(node, file, prefix)
        if isinstance(node, Array):
            return Array(tuple(self._opened(item, file, prefix) for item in node.items), node.line)
        if isinstance(node, Concatenation):
            return Concatenation(tuple(self._opened(part, file, prefix) for part in node.parts), node.line)
        return node

    def _warn_of_repetition(self, part: Field, literal: dict[Path, int], file: str) -> None:
        first = literal.setdefault(part.path, part.line)
        plain = not isinstance(part.value, Object | Substitution | Concatenation) and not part.adds
        if first != part.line and plain:
            message = f"the key '{'.'.join(part.path)}' is given twice (first in line {first})"
            self.warnings.append(Problem(file, part.line, message, "only the last one counts; keep one"))

    def _included(self, part: Include, file: str, prefix: Path) -> HoconScope:
        place = Problem(file, part.line, "")
        self._includes += 1
        if self._includes > self._sources.limits.includes:
            raise _refused(place, f"more than {self._sources.limits.includes} includes", "include less")
        target = self._target(part.name, place)
        shown = str(FilePath(file).parent / FilePath(part.name).parent / target.name)
        self._including.append(target)
        text = _text_of(target, place)
        scope = self._scope(self._tree(text, shown, prefix), shown, prefix)
        self._including.pop()
        return scope

    def _target(self, name: str, place: Problem) -> FilePath:
        if self._sources.folder is None or not self._including:
            raise _refused(place, "this text may not include files", "write the content out")
        folder = self._sources.folder.resolve()
        base = self._including[-1].parent
        for suffix in _SUFFIXES:
            target = (base / (name + suffix)).resolve()
            if not target.is_relative_to(folder):
                raise _refused(place, f"'{name}' is outside the case's folder", "move it next to the case")
            if target in self._including:
                raise _refused(place, f"'{name}' includes itself", "remove the include")
            if target.is_file():
                return target
        raise _refused(
            place, f"the included file '{name}' does not exist", "names are relative to the including file"
        )


def _last_scope(scope: HoconScope, key: str) -> HoconScope:
    value = scope.slots[key][-1].value
    assert isinstance(value, HoconScope)
    return value


def _text_of(target: FilePath, place: Problem) -> str:
    try:
        return read_file(target).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _refused(place, f"the included file '{target.name}' cannot be read", str(error)) from error


def _refused(place: Problem, message: str, hint: str) -> InputError:
    return InputError(Problem(place.file, place.line, message, hint))
