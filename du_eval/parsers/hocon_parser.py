"""HOCON with line numbers: comments, references and includes, but nothing outside the case's own folder.

A small parser of our own, because test cases come from strangers: it reads no URL, no file outside the
folder, no environment variable unless it is given them, and it has limits on size, depth and growth.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath

from msgspec import Struct, field

from du_eval.errors import InputError, Problem
from du_eval.parsers.hocon_lexer import HoconScope, Path
from du_eval.parsers.hocon_reader import HoconReader
from du_eval.parsers.hocon_resolver import HoconMap, Resolver
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
    document = _Document(sources)
    try:
        root = document.read(text, file)
        value = Resolver(root, sources.environment, sources.limits.nodes).resolve()
    except RecursionError as error:
        raise InputError(Problem(file, 1, "references or braces are nested too deeply")) from error
    return HoconDocument(value, tuple(document.warnings))


class _Document:
    """A document with the files that it includes; one use."""

    def __init__(self, sources: HoconSources) -> None:
        self.sources = sources
        self.depth = sources.limits.depth
        self.warnings: list[Problem] = []
        self._includes = 0
        self._including: list[FilePath] = []

    def read(self, text: str, file: str) -> HoconScope:
        """Return the object of the document itself."""
        if self.sources.folder is not None:
            self._including.append((self.sources.folder / FilePath(file).name).resolve())
        return self._scope(text, file, ())

    def _scope(self, text: str, file: str, prefix: Path) -> HoconScope:
        limit = self.sources.limits.characters
        if len(text) > limit:
            raise InputError(Problem(file, 1, f"the file is longer than {limit} characters"))
        return HoconReader(text, file, self, prefix).read()

    def include(self, name: str, place: Problem, prefix: Path) -> HoconScope:
        """Return the object of a file that another one includes below a path."""
        self._includes += 1
        if self._includes > self.sources.limits.includes:
            raise _refused(place, f"more than {self.sources.limits.includes} includes", "include less")
        target = self._target(name, place)
        shown = str(FilePath(place.file).parent / FilePath(name).parent / target.name)
        self._including.append(target)
        scope = self._scope(_text_of(target, place), shown, prefix)
        self._including.pop()
        return scope

    def _target(self, name: str, place: Problem) -> FilePath:
        if self.sources.folder is None or not self._including:
            raise _refused(place, "this text may not include files", "write the content out")
        folder = self.sources.folder.resolve()
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


def _text_of(target: FilePath, place: Problem) -> str:
    try:
        return read_file(target).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _refused(place, f"the included file '{target.name}' cannot be read", str(error)) from error


def _refused(place: Problem, message: str, hint: str) -> InputError:
    return InputError(Problem(place.file, place.line, message, hint))
