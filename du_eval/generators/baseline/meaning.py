"""What words mean: a table of vectors in which everyday English words of similar meaning are near each other.

`scripts/make_word_vectors.py` makes the table from the sentence model MiniLM (Apache-2.0).
"""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from du_eval.generators.baseline.text import STOP_WORDS, stem, words

Vectors = npt.NDArray[np.float32]
_MIDDLE = 8
"""Levels of four bits count from here."""
_STOP_WORD, _BY_RARITY = 0.2, 1.5
"""What a function word weighs beside one of content, and how much more rare words weigh than common ones."""


@cache
def _table() -> tuple[dict[str, int], Vectors]:
    with files(__package__).joinpath("vectors.npz").open("rb") as file, np.load(file) as stored:
        stems = bytes(stored["stems"]).decode().split("\n")
        packed = stored["levels"]
    rows = np.stack([packed >> 4, packed & 15], axis=2).reshape(len(stems), -1).astype(np.float32) - _MIDDLE
    return {name: row for row, name in enumerate(stems)}, rows / np.linalg.norm(rows, axis=1, keepdims=True)


def find_vectors(stems: list[str]) -> Vectors:
    """Return one row a stem, of length 1; zeros for what the table does not have."""
    known, rows = _table()
    found = np.zeros((len(stems), rows.shape[1]), dtype=np.float32)
    for number, name in enumerate(stems):
        if name in known:
            found[number] = rows[known[name]]
    return found


def are_alike(stemmed: str, others: list[str]) -> npt.NDArray[np.float32]:
    """Return how near a stem is to each of others, 1 at most."""
    near: npt.NDArray[np.float32] = find_vectors(others) @ find_vectors([stemmed])[0]
    return near


def embed(text: str) -> Vectors:
    """Return the direction in which the words of a text point together; rare words count more."""
    known, rows = _table()
    total = np.zeros(rows.shape[1], dtype=np.float32)
    for word in words(text):
        row = known.get(stem(word))
        if row is not None:
            weight = _STOP_WORD if word in STOP_WORDS else 1.0
            total += rows[row] * (weight * math.log(2 + 2 * row) ** _BY_RARITY)
    length = float(np.linalg.norm(total))
    return total / length if length else total
