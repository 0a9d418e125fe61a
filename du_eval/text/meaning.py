"""What words mean: a table of vectors in which everyday English words of similar meaning are near each other.

`scripts/make_word_vectors.py` makes the table from the sentence model MiniLM (Apache-2.0).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from du_eval.text.words import stem, words

Vectors = npt.NDArray[np.float32]
_MIDDLE = 8
"""Levels of four bits count from here."""


@cache
def _table() -> tuple[dict[str, int], Vectors, Vectors]:
    with files(__package__).joinpath("vectors.npz").open("rb") as file, np.load(file) as stored:
        stems = bytes(stored["stems"]).decode().split("\n")
        packed, lengths = stored["levels"], stored["lengths"].astype(np.float32)
    rows = np.stack([packed >> 4, packed & 15], axis=2).reshape(len(stems), -1).astype(np.float32) - _MIDDLE
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return {name: row for row, name in enumerate(stems)}, rows, lengths[:, None]


def find_vectors(stems: list[str]) -> Vectors:
    """Return one row a stem, of length 1; zeros for what the table does not have."""
    known, rows, _ = _table()
    found = np.zeros((len(stems), rows.shape[1]), dtype=np.float32)
    for number, name in enumerate(stems):
        if name in known:
            found[number] = rows[known[name]]
    return found


def embed(text: str) -> Vectors:
    """Return the direction in which the words of a text point together; telling words are longer."""
    known, rows, lengths = _table()
    numbers = [known[name] for name in map(stem, words(text)) if name in known]
    total: Vectors = (rows[numbers] * lengths[numbers]).sum(axis=0)
    length = float(np.linalg.norm(total))
    return total / length if length else total
