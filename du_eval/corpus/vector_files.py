"""Word vectors from files: text (fastText, word2vec, GloVe) or a NumPy pair, cached for the next run."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from pathlib import Path
from tokenize import TokenError
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Flags, Floats, Ids
from du_eval.errors import InputError, Problem
from du_eval.parsers.inputs import (
    STANDARD_INPUT,
    Progress,
    no_progress,
    open_input,
    raw_blocks,
    read_piece,
    text_blocks,
)
from du_eval.trust.files import make_private_folder

_NUMPY_MAGIC = b"\x93NUMPY"
_WORD_SUFFIXES = (".txt", ".vocab", ".words")
_BLOCK_BYTES = 1 << 20
_DAMAGES = (OSError, EOFError, ValueError, TypeError, OverflowError, SyntaxError, TokenError, MemoryError)
"""What NumPy raises for files that are damaged: their heads are read as Python."""


class FoundVectors(Struct, frozen=True, eq=False):
    """Words that the file has, in order, with their vectors."""

    words: tuple[str, ...]
    matrix: Floats
    present: frozenset[str] = frozenset()
    """Further words that the file has, whose vectors nobody needs."""


class Lookup(Struct, frozen=True):
    """The words whose vectors are needed, and the words of which only their presence is."""

    wanted: Collection[str]
    asked: Collection[str] = ()


_NO_NUMBER = "the vector of '{}' contains a value that is not a finite number"


class _Row(NamedTuple):
    line: int
    numbers: bytes


def read_vectors(name: str, lookup: Lookup, progress: Progress = no_progress) -> FoundVectors:
    """Return the vectors of those wanted words that the file has; of several, the last."""
    with open_input(name) as file:
        is_numpy = read_piece(file, name, len(_NUMPY_MAGIC)) == _NUMPY_MAGIC
    if is_numpy:
        return _from_numpy(name, lookup)
    return _from_text(name, lookup, progress)


def _from_numpy(name: str, lookup: Lookup) -> FoundVectors:
    """Read a matrix `x.npy` and the words beside it, one a line: `x.txt`, `x.vocab` or `x.words`."""
    candidates = [Path(name).with_suffix(suffix) for suffix in _WORD_SUFFIXES]
    beside = next((path for path in candidates if path.is_file()), None)
    if beside is None:
        names = ", ".join(path.name for path in candidates)
        raise InputError(Problem(name, 0, "has no list of words next to it", f"looked for {names}"))
    words = [line for block in text_blocks(str(beside)) for line in block.split("\n")[:-1]]
    try:
        with warnings.catch_warnings(action="ignore"):  # about heads that are odd, but can be read
            matrix = np.load(name, mmap_mode="r", allow_pickle=False)
    except _DAMAGES as error:
        reason = str(error).split("\n")[0] or type(error).__name__
        hint = "write it with numpy.save; compressed .npy is not supported"
        raise InputError(Problem(name, 0, f"cannot be read: {reason}", hint)) from error
    if not np.issubdtype(matrix.dtype, np.floating) and not np.issubdtype(matrix.dtype, np.integer):
        raise InputError(Problem(name, 0, f"holds {matrix.dtype}, not numbers", "save it as float32"))
    if matrix.ndim != 2 or len(matrix) != len(words):
        shape = " x ".join(map(str, matrix.shape))
        raise InputError(Problem(name, 0, f"is {shape}, but {beside.name} has {len(words)} words"))
    wanted = frozenset(lookup.wanted)
    places = {word.strip(): place for place, word in enumerate(words) if word.strip() in wanted}
    present = frozenset(word.strip() for word in words).intersection(lookup.asked)
    rows = np.array(list(places.values()), np.int64)
    vectors = np.asarray(matrix[rows], np.float64).reshape(len(rows), matrix.shape[1])
    broken = [word for word, row in zip(places, vectors, strict=True) if not np.isfinite(row).all()]
    if broken:
        raise InputError([Problem(name, 0, _NO_NUMBER.format(word)) for word in broken])
    return FoundVectors(tuple(places), vectors, present)


def _from_text(name: str, lookup: Lookup, progress: Progress) -> FoundVectors:
    keys = {word.encode("utf-8", "surrogatepass"): word for word in lookup.wanted}
    others = {word.encode("utf-8", "surrogatepass"): word for word in lookup.asked}
    present: set[str] = set()
    rows: dict[str, _Row] = {}
    dimensions = 0
    for number, line in _lines(name, progress):
        parts = line.split(None, 1)
        if len(parts) < 2:
            continue
        if not dimensions:
            if _is_header(line):
                dimensions = int(parts[1])
                continue
            dimensions = len(parts[1].split())
        if parts[0] in keys:
            rows[keys[parts[0]]] = _Row(number, parts[1].rstrip())
        elif parts[0] in others:
            present.add(others[parts[0]])
    if not dimensions:
        hint = "expected a word and its numbers on each line"
        raise InputError(Problem(name, 0, "contains no vectors", hint))
    found = _parsed(name, rows, dimensions)
    return FoundVectors(found.words, found.matrix, frozenset(present))


def _lines(name: str, progress: Progress) -> Iterator[tuple[int, bytes]]:
    number = 0
    for block in raw_blocks(name, progress, _BLOCK_BYTES):
        lines = block.removesuffix(b"\n").split(b"\n")
        yield from enumerate(lines, start=number + 1)
        number += len(lines)


def _is_header(line: bytes) -> bool:
    parts = line.split()
    return len(parts) == 2 and all(part.isdigit() and len(part) < 10 for part in parts)


def _parsed(name: str, rows: dict[str, _Row], dimensions: int) -> FoundVectors:
    """Turn rows into a matrix: words of several tokens are left out, anything else that is wrong is told."""
    problems: list[Problem] = []
    kept: dict[str, Floats] = {}
    for word, row in rows.items():
        parts = row.numbers.split()
        vector = _numbers(parts)
        if len(parts) > dimensions and _numbers(parts[:1]) is None:
            continue
        if len(parts) != dimensions:
            message = f"the vector of '{word}' has {len(parts)} numbers, not {dimensions}"
            problems.append(Problem(name, row.line, message))
        elif vector is None:
            problems.append(Problem(name, row.line, _NO_NUMBER.format(word)))
        else:
            kept[word] = vector
    if problems:
        raise InputError(problems)
    return FoundVectors(tuple(kept), np.array(list(kept.values())).reshape(len(kept), dimensions))


def _numbers(parts: list[bytes]) -> Floats | None:
    """Return finite numbers; None where one is none."""
    try:
        found = np.array(parts, np.float64)
    except ValueError:
        return None
    return found if np.isfinite(found).all() else None


class Vectors(Struct, frozen=True, eq=False):
    """Vectors by row; `row_of` gives the row of each word number, -1 for words without a vector."""

    matrix: Floats
    row_of: Ids
    name: str = ""

    @property
    def usable(self) -> Flags:
        """By word number, whether the word has a vector that is not all zero."""
        nonzero = np.append(self.matrix.any(axis=1), np.False_)
        return nonzero[self.row_of]

    def scale(self, factors: Floats) -> Vectors:
        """Return the vectors with each word's vector multiplied by a factor, given by word number."""
        known = np.flatnonzero(self.row_of >= 0)
        matrix = self.matrix.copy()
        matrix[self.row_of[known]] *= factors[known, None]
        return Vectors(matrix, self.row_of, self.name)

    def normalise(self) -> Vectors:
        """Return the vectors at length 1; zero vectors stay zero."""
        lengths = np.sqrt(np.einsum("ij,ij->i", self.matrix, self.matrix))
        lengths[lengths == 0] = 1
        return Vectors(self.matrix / lengths[:, None], self.row_of, self.name)


class _Kept(Struct, frozen=True, eq=False):
    """What the cache knows of one file: words with vectors, other words that it has, and words it has not."""

    words: tuple[str, ...] = ()
    matrix: Floats | None = None
    present: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()


class VectorCache(Struct, frozen=True):
    """A folder with one binary file for each vector file; None switches it off."""

    folder: Path | None = None

    def read(self, name: str, lookup: Lookup, progress: Progress = no_progress) -> FoundVectors:
        """Return the vectors of the wanted words, from the cache where it knows all of them."""
        path = self._path(name)
        if path is None:
            return read_vectors(name, lookup, progress)
        kept = _load(path)
        wanted, asked = set(lookup.wanted), set(lookup.asked)
        known = kept.present.union(kept.words, kept.absent)
        if kept.matrix is not None and wanted.isdisjoint(kept.present) and wanted | asked <= known:
            return FoundVectors(kept.words, kept.matrix, kept.present)
        wanted.update(kept.words)
        others = (asked | known) - wanted
        found = read_vectors(name, Lookup(sorted(wanted), sorted(others)), progress)
        _save(path, found, wanted | others)
        return found

    def _path(self, name: str) -> Path | None:
        """Return where the vectors of a file are kept; the name changes when the file does."""
        file = Path(name)
        if self.folder is None or name == STANDARD_INPUT or not file.is_file():
            return None
        from hashlib import sha256  # noqa: PLC0415 - runs without a cache start faster

        state = file.stat()
        key = f"{file.resolve()}\0{state.st_size}\0{state.st_mtime_ns}"
        return self.folder / f"{sha256(key.encode()).hexdigest()[:24]}.npz"


def _load(path: Path) -> _Kept:
    from zipfile import BadZipFile  # noqa: PLC0415 - runs without a cache start faster

    try:
        with np.load(path, allow_pickle=False) as data:
            present, absent = (frozenset(_words(data[key])) for key in ("present", "absent"))
            return _Kept(_words(data["words"]), data["matrix"], present, absent)
    except (OSError, ValueError, KeyError, BadZipFile):
        return _Kept()


def _save(path: Path, found: FoundVectors, asked: Collection[str]) -> None:
    absent = sorted(set(asked).difference(found.words, found.present))
    partial = path.with_suffix(".partial.npz")
    try:
        make_private_folder(path.parent)
        present = _bytes(sorted(found.present))
        np.savez(
            partial, matrix=found.matrix, words=_bytes(found.words), present=present, absent=_bytes(absent)
        )
        partial.replace(path)
    except OSError:
        # A cache that cannot be written costs time, not results.
        return


def _bytes(words: Collection[str]) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer("\n".join(words).encode("utf-8", "surrogatepass"), np.uint8)


def _words(data: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> tuple[str, ...]:
    return tuple(data.tobytes().decode("utf-8", "surrogatepass").split("\n")) if len(data) else ()
