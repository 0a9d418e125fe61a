"""Word vectors: the matrix of the words that occur, kept in a cache of its own."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Flags, Floats, Ids
from du_eval.corpus.vector_files import FoundVectors, Lookup, read_vectors
from du_eval.parsers.inputs import STANDARD_INPUT, Progress, no_progress
from du_eval.trust.files import make_private_folder


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
