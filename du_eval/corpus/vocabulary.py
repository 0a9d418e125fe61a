"""Which words count as known: read from a file, or all words of the training data."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from du_eval.corpus.lexicon import Flags, Lexicon, Texts
from du_eval.corpus.reading import Progress, no_progress, text_blocks
from du_eval.errors import InputError, Problem


def read_vocabulary(name: str, progress: Progress = no_progress) -> frozenset[str]:
    """Return the words of a file, one a line."""
    words: set[str] = set()
    for block in text_blocks(name, progress):
        words.update(line.strip() for line in block.split("\n"))
    words.discard("")
    if not words:
        raise InputError(Problem(name, 0, "holds no words", "one word a line is expected"))
    return frozenset(words)


def generated(training: Texts, lexicon: Lexicon, minimum: int = 1) -> list[str]:
    """Return the words that occur at least so often in the training data, in order of first occurrence."""
    counts = np.bincount(training.ids, minlength=len(lexicon))
    words = lexicon.words
    firsts = np.sort(np.unique(training.ids, return_index=True)[1])
    return [words[number] for number in training.ids[firsts] if counts[number] >= minimum]


def membership(lexicon: Lexicon, vocabulary: frozenset[str]) -> Flags:
    """Return by word number whether a word belongs to the vocabulary."""
    return np.fromiter(map(vocabulary.__contains__, lexicon.words), np.bool_, len(lexicon))


def write_vocabulary(path: Path, words: list[str]) -> None:
    """Write one word a line."""
    try:
        path.write_text("\n".join(words) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(Problem(str(path), 0, f"cannot be written: {error.strerror}")) from error
