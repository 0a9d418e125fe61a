"""Make `du_eval/judges/data/question_words.npz`: what words of questions mean, in 32 numbers each.

Needs the extra `models` with MiniLM, and a file with questions of any kind, one a line, which tells how
frequent words are; no sentence of it is kept. Each word is read by MiniLM on its own; rare words weigh more.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from du_eval.judges.similarity import EmbeddingSimilarity, similarity_judge

WORDS, NUMBERS, COMMON = 8000, 32, 1e-2
TARGET = Path(__file__).parent.parent / "du_eval" / "judges" / "data" / "question_words.npz"


def learn_words(lines: list[str]) -> tuple[list[str], np.ndarray]:
    """Return words, and a row of small whole numbers for each."""
    model = similarity_judge("auto")
    assert isinstance(model, EmbeddingSimilarity)
    counts = Counter(word for line in lines for word in set(re.findall("[a-z]+", line.casefold())))
    known = model._model.tokenizer.vocab
    frequent = [word for word, count in counts.most_common() if count > 1 and len(word) > 1]
    others = sorted((word for word in known if re.fullmatch("[a-z]{2,}", word)), key=known.get)
    words = list(dict.fromkeys((*frequent, *others)))[:WORDS]
    rows = model._model.encode(words, normalize_embeddings=True, batch_size=512)
    centred = rows - rows.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:NUMBERS]
    shares = np.array([max(counts[word], 1) for word in words]) / counts.total()
    weighted = centred @ axes.T * (COMMON / (COMMON + shares))[:, None]
    return words, np.round(weighted * 127 / np.abs(weighted).max()).astype(np.int8)


def main() -> None:
    """Write the file."""
    words, rows = learn_words(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
    np.savez_compressed(TARGET, words=np.frombuffer("\n".join(words).encode(), np.uint8), rows=rows)
    print(f"{TARGET}: {len(words)} words, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
