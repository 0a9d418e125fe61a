"""Word vectors that earlier runs have looked up, so that the next run need not read the large file again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from du_eval.corpus.lexicon import Floats
from du_eval.corpus.reading import STANDARD_INPUT, Progress, no_progress
from du_eval.corpus.vector_files import FoundVectors, read_vectors


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """What the cache knows of one file: the words it has, with vectors, and the words it does not have."""

    words: tuple[str, ...] = ()
    matrix: Floats | None = None
    absent: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class VectorCache:
    """A folder with one binary file for each vector file; None switches it off."""

    folder: Path | None = None

    def read(self, name: str, wanted: Collection[str], progress: Progress = no_progress) -> FoundVectors:
        """Return the vectors of the wanted words, from the cache where it knows all of them."""
        path = self._path(name)
        if path is None:
            return read_vectors(name, wanted, progress)
        kept = _load(path)
        unknown = set(wanted).difference(kept.words, kept.absent)
        if not unknown and kept.matrix is not None:
            return FoundVectors(kept.words, kept.matrix)
        everything = sorted(set(wanted).union(kept.words, kept.absent))
        found = read_vectors(name, everything, progress)
        _save(path, found, everything)
        return found

    def _path(self, name: str) -> Path | None:
        """Return where the vectors of a file are kept; the name changes when the file does."""
        file = Path(name)
        if self.folder is None or name == STANDARD_INPUT or not file.is_file():
            return None
        state = file.stat()
        key = f"{file.resolve()}\0{state.st_size}\0{state.st_mtime_ns}"
        return self.folder / f"{sha256(key.encode()).hexdigest()[:24]}.npz"


def _load(path: Path) -> _Kept:
    try:
        with np.load(path, allow_pickle=False) as data:
            return _Kept(_words(data["words"]), data["matrix"], frozenset(_words(data["absent"])))
    except (OSError, ValueError, KeyError, BadZipFile):
        return _Kept()


def _save(path: Path, found: FoundVectors, asked: Collection[str]) -> None:
    absent = sorted(set(asked).difference(found.words))
    partial = path.with_suffix(".partial.npz")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(partial, words=_bytes(found.words), matrix=found.matrix, absent=_bytes(absent))
        partial.replace(path)
    except OSError:
        # A cache that cannot be written costs time, not results.
        return


def _bytes(words: Collection[str]) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer("\n".join(words).encode("utf-8", "surrogatepass"), np.uint8)


def _words(data: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> tuple[str, ...]:
    return tuple(data.tobytes().decode("utf-8", "surrogatepass").split("\n")) if len(data) else ()
