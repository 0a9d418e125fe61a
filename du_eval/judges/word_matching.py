"""How alike two texts are to a local sentence model: whole texts by one vector, or word by word."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from du_eval.judges.similarity import sentence_model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_BATCH = 64


class TextMatch(Struct, frozen=True):
    """How well the pieces of two texts match: each piece with its best partner on the other side."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where either is not positive."""
        if self.precision <= 0 or self.recall <= 0:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)


class EmbeddingJudge:
    """A sentence model from a local folder, or by its name where it is already downloaded."""

    def __init__(self, model: str) -> None:
        self.model = model

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return one vector a text."""
        import numpy as np  # noqa: PLC0415 - judges are imported without their models

        found = self._model.encode(list(texts), batch_size=_BATCH, show_progress_bar=False)
        return np.asarray(found, np.float64)

    def agreements(self, responses: Sequence[str], targets: Sequence[str]) -> list[TextMatch]:
        """Match the pieces of each response with those of its target, greedily and in context."""
        left, right = self._pieces(responses), self._pieces(targets)
        return [_agreement(a, b) for a, b in zip(left, right, strict=True)]

    def _pieces(self, texts: Sequence[str]) -> list[Floats]:
        """Return the vectors, of length 1, of the pieces of each text, without the marks around it."""
        import numpy as np  # noqa: PLC0415 - judges are imported without their models

        different = list(dict.fromkeys(texts))
        encoded = self._model.encode(
            different, batch_size=_BATCH, output_value="token_embeddings", show_progress_bar=False
        )
        found = {}
        for text, pieces in zip(different, encoded, strict=True):
            vectors = np.asarray(pieces.cpu(), np.float64)
            vectors = vectors[1:-1] if len(vectors) > 2 else vectors
            found[text] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return [found[text] for text in texts]

    @cached_property
    def _model(self) -> Any:
        return sentence_model(self.model)


def _agreement(left: Floats, right: Floats) -> TextMatch:
    cosines = left @ right.T
    return TextMatch(
        precision=float(cosines.max(axis=1).mean()),
        recall=float(cosines.max(axis=0).mean()),
    )
