"""The results of a large run: all cases as packed JSON lines, in several files with an index."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from msgspec import Struct, convert, field
from msgspec.structs import asdict

from du_eval.errors import InputError, Problem, ReportError
from du_eval.runs.record import Case, D, E
from du_eval.runs.report import Kind, encode_case
from du_eval.trust.files import make_private_folder, write_privately
from du_eval.trust.reading import read_file

FOLDER = "results"
_INDEX, _FORMAT = "index.json", "du-eval results/1"
_FULL = 32_000_000
"""How many packed bytes a file has before the next one begins."""


class ResultPart(Struct, frozen=True):
    """A file of results."""

    file: str
    first: int
    """The number of its first case."""
    cases: int
    results: int
    sha256: str


def pack_case(case: Case[D], kind: Kind[D, E]) -> bytes:
    """Return a case as a line."""
    return encode_case(case, kind) + b"\n"


class PartWriter(Struct):
    """Writes packed lines into files; a small run that ends before the first is full leaves none."""

    folder: Path
    parts: list[ResultPart] = field(default_factory=list)
    _waiting: list[bytes] = field(default_factory=list)
    _cases: int = 0
    _results: int = 0

    def add(self, packed: bytes, cases: int, results: int) -> None:
        """Take the packed lines of some cases."""
        self._waiting.append(packed)
        self._cases, self._results = self._cases + cases, self._results + results
        if sum(map(len, self._waiting)) >= _FULL:
            self._write()

    def _write(self) -> None:
        content = b"".join(self._waiting)
        name = f"part-{len(self.parts):05}.jsonl.gz"
        first = sum(part.cases for part in self.parts)
        try:
            make_private_folder(self.folder)
            write_privately(self.folder / name, [content])
        except OSError as error:
            raise ReportError(f"{self.folder / name} cannot be written: {error}") from error
        found = hashlib.sha256(content).hexdigest()
        self.parts.append(ResultPart(name, first, self._cases, self._results, found))
        self._waiting.clear()
        self._cases = self._results = 0

    def end(self) -> str:
        """Write the rest and the index; return the fingerprint of the index."""
        if self._waiting:
            self._write()
        index = {"format": _FORMAT, "parts": [asdict(part) for part in self.parts]}
        content = json.dumps(index, indent=1).encode() + b"\n"
        try:
            write_privately(self.folder / _INDEX, [content])
        except OSError as error:
            raise ReportError(f"{self.folder / _INDEX} cannot be written: {error}") from error
        return hashlib.sha256(content).hexdigest()


def read_parts(folder: Path) -> tuple[ResultPart, ...]:
    """Return the files of results by their index."""
    path = folder / _INDEX
    try:
        return convert(json.loads(read_file(path))["parts"], tuple[ResultPart, ...])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(Problem(str(path), 0, f"no index of results: {error}")) from error


def list_damaged(folder: Path, index: str) -> list[str]:
    """Return the files of results that are not what they were when the run ended."""
    path = folder / _INDEX
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != index:
        return [f"{FOLDER}/{_INDEX}"]
    found = []
    for part in read_parts(folder):
        file = folder / part.file
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != part.sha256:
            found.append(f"{FOLDER}/{part.file}")
    return found
