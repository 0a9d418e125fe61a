"""Small corpora that the tests of corpus metrics share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from du_eval.corpus.lexicon import UNKNOWN, Lexicon
from du_eval.corpus.load import membership
from du_eval.corpus.metric import Corpus, Dialogues
from du_eval.corpus.ngrams import count_training
from du_eval.corpus.vector_files import Vectors

Build = Callable[..., Corpus]


def build(
    responses: Sequence[str],
    target: Sequence[str] | None = None,
    source: Sequence[str] | None = None,
    training: Sequence[str] | None = None,
    seed: int = 0,
) -> Corpus:
    """Return a corpus of lines; every word gets a random vector."""
    lexicon = Lexicon([UNKNOWN])
    read = [
        lexicon.texts("".join(f"{line}\n" for line in lines)) if lines is not None else None
        for lines in (responses, target, source, training)
    ]
    assert read[0] is not None
    random = np.random.default_rng(seed)
    words = len(lexicon)
    vectors = Vectors(random.normal(size=(words, 8)), np.arange(words, dtype=np.int32), "random")
    counts, vocabulary = None, None
    if read[3] is not None:
        known = frozenset(word for line in training or () for word in line.split())
        vocabulary = membership(lexicon, known)
        counts = count_training(read[3], words)
    size = int(vocabulary.sum()) if vocabulary is not None else None
    return Corpus(Dialogues(read[0], read[2], read[1]), words, counts, vocabulary, vectors, None, size, 0)


@pytest.fixture
def corpus() -> Build:
    return build


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a folder with a small corpus."""
    (tmp_path / "target.txt").write_text("yes it is\nthe red one please\nno\nit is here\n")
    (tmp_path / "source.txt").write_text("is it here\nwhich one\nare you sure\nwhere is it\n")
    (tmp_path / "good.txt").write_text("yes it is\nthe blue one please\nno\nit is there\n")
    (tmp_path / "dull.txt").write_text("i do not know\ni do not know\nno\ni do not know\n")
    (tmp_path / "vectors.txt").write_text("yes 0.1 0.2\nit 0.3 -0.1\nis 0.2 0.2\nno -0.5 0.1\none 0.4 0.4\n")
    return tmp_path
