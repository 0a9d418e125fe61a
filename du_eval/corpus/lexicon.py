"""Words as numbers: the lexicon that numbers them, and lines of text as arrays of those numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

UNKNOWN = "<unk>"
_LINE_END = "\ue00b\ue00b\ue00b"


class Texts(Struct, frozen=True, eq=False):
    """Lines of word numbers, in one row, with the place where each line starts; the raw lines where kept."""

    ids: Ids
    starts: Ints
    lines: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        """The number of words of each line."""
        return np.diff(self.starts)

    @property
    def line_of(self) -> Ints:
        """The line of each word."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def between(self, first: int, last: int) -> Texts:
        """Return the lines from `first` up to but not including `last`."""
        starts = self.starts[first : last + 1]
        return Texts(self.ids[starts[0] : starts[-1]], starts - starts[0], self.lines[first:last])

    def choose_lines(self, lines: Ints) -> Texts:
        """Return the given lines, in the given order."""
        lengths = self.lengths[lines]
        starts = find_starts(lengths)
        places = np.arange(starts[-1]) + np.repeat(self.starts[:-1][lines] - starts[:-1], lengths)
        return Texts(self.ids[places], starts)

    def keep_words(self, kept: Flags) -> Texts:
        """Return the lines with only those words whose number is marked."""
        flags = kept[self.ids]
        counts = np.concatenate([[0], np.cumsum(flags)])
        return Texts(self.ids[flags], counts[self.starts])

    def map_words(self, numbers: Ids) -> Texts:
        """Return the lines with each word number replaced by another."""
        return Texts(numbers[self.ids], self.starts, self.lines)


def find_starts(lengths: Ints) -> Ints:
    """Return where each line starts, and at the end where the last one ends."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def join_texts(parts: Sequence[Texts]) -> Texts:
    """Return the lines of all parts, one after the other."""
    ids = np.concatenate([part.ids for part in parts]) if parts else np.zeros(0, np.int32)
    lengths = np.concatenate([part.lengths for part in parts]) if parts else np.zeros(0, np.int64)
    return Texts(ids, find_starts(lengths), tuple(line for part in parts for line in part.lines))


class Lexicon:
    """The growing numbering of all words of a run, in order of first occurrence."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._numbers[_LINE_END] = -1
        for word in words:
            self.number(word)

    def __len__(self) -> int:
        return len(self._numbers) - 1

    def number(self, word: str) -> int:
        """Return the number of a word, a new one if it is new."""
        return self._numbers[word]

    def find(self, word: str) -> int | None:
        """Return the number of a word that occurred."""
        return self._numbers.get(word)

    @property
    def words(self) -> list[str]:
        """All words, in the order of their numbers."""
        return [word for word in self._numbers if word != _LINE_END]

    def texts(self, block: str) -> Texts:
        """Return the numbers of the words of a block of lines, each of which ends with a line feed."""
        if _LINE_END in block:
            return self._one_by_one(block)
        tokens = block.replace("\n", f" {_LINE_END} ").split()
        numbers = np.fromiter(map(self._numbers.__getitem__, tokens), np.int32, len(tokens))
        is_end = numbers < 0
        ends = np.flatnonzero(is_end)
        starts = np.zeros(len(ends) + 1, np.int64)
        starts[1:] = ends - np.arange(len(ends))
        return Texts(numbers[~is_end], starts)

    def _one_by_one(self, block: str) -> Texts:
        """Return the same for a block that holds the very text that marks the ends of lines elsewhere."""
        rows = [line.replace(_LINE_END, "\ue00b").split() for line in block.split("\n")[:-1]]
        numbers = np.array([self._numbers[token] for row in rows for token in row], np.int32)
        return Texts(numbers, find_starts(np.array([len(row) for row in rows], np.int64)))
