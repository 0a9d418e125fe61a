"""Word vectors: the matrix of the words that occur, and which word has which row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from du_eval.corpus.lexicon import Flags, Floats, Ids


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vectors by row; `row_of` gives the row of each word number, -1 for words without a vector."""

    matrix: Floats
    row_of: Ids
    name: str = ""

    @property
    def usable(self) -> Flags:
        """By word number, whether the word has a vector that is not all zero."""
        nonzero = np.append(self.matrix.any(axis=1), np.False_)
        return nonzero[self.row_of]

    def scaled(self, factors: Floats) -> Vectors:
        """Return the vectors with each word's vector multiplied by a factor, given by word number."""
        known = np.flatnonzero(self.row_of >= 0)
        matrix = self.matrix.copy()
        matrix[self.row_of[known]] *= factors[known, None]
        return Vectors(matrix, self.row_of, self.name)

    def normalised(self) -> Vectors:
        """Return the vectors at length 1; zero vectors stay zero."""
        lengths = np.sqrt(np.einsum("ij,ij->i", self.matrix, self.matrix))
        lengths[lengths == 0] = 1
        return Vectors(self.matrix / lengths[:, None], self.row_of, self.name)
