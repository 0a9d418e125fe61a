"""Word vectors from files: text with or without a header (fastText, word2vec, GloVe), or a NumPy pair."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from pathlib import Path
from tokenize import TokenError
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from du_eval.corpus.lexicon import Floats
from du_eval.errors import InputError, Problem
from du_eval.parsers.inputs import Progress, no_progress, open_input, raw_blocks, read_piece, text_blocks

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
