"""How well a reply fits what was said before: by a model of coherence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

from msgspec import Struct

from du_eval.errors import InputError, MissingExtraError
from du_eval.judges.coherence_rules import Exchanged

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Coherence(Struct, frozen=True):
    """A score, higher is better, and why."""

    value: float | None
    """None where the judge cannot tell."""
    why: str


class CoherenceJudge(Protocol):
    """Scores replies by what was said before."""

    @property
    def name(self) -> str:
        """How results name it."""
        ...

    @property
    def threshold(self) -> float:
        """The score from which a reply counts as coherent."""
        ...

    def scores(self, items: Sequence[Exchanged]) -> list[Coherence]:
        """Return the coherence of each reply."""
        ...


def trim_utterances(
    utterances: Sequence[str], most: int, count: Callable[[str], int] | None = None
) -> tuple[str, ...]:
    """Return the last whole utterances that have at most so many tokens together."""
    count = count or (lambda text: len(_TOKEN.findall(text)))
    kept: list[str] = []
    left = most
    for utterance in reversed(utterances):
        left -= count(utterance)
        if left < 0:
            break
        kept.append(utterance)
    return tuple(reversed(kept))


class ModelCoherence:
    """A next-sentence head or a cross-encoder from a folder; scores are logits or their difference."""

    def __init__(self, model: str, threshold: float = 0.0) -> None:
        self._path = model
        self.threshold = threshold
        self.name = f"coherence-model:{model.rstrip('/').rsplit('/', 1)[-1]}"

    def scores(self, items: Sequence[Exchanged]) -> list[Coherence]:
        """Return the coherence of each reply, read in batches."""
        found: list[Coherence] = []
        for start in range(0, len(items), 32):
            found.extend(self._batch(items[start : start + 32]))
        return found

    def _batch(self, items: Sequence[Exchanged]) -> list[Coherence]:
        import torch  # noqa: PLC0415 - an extra

        tokenizer, model, is_next_sentence = self._loaded
        most = min(int(getattr(model.config, "max_position_embeddings", 512)), 512) - 8
        contexts = [
            " ".join(trim_utterances(item.context, most // 2, lambda text: len(tokenizer.tokenize(text))))
            for item in items
        ]
        encoded = tokenizer(
            contexts,
            [item.reply for item in items],
            truncation=True,
            max_length=most,
            padding=True,
            return_tensors="pt",
        )
        with torch.no_grad():
            logits = model(**encoded).logits
        values = logits[:, 0] - logits[:, 1] if is_next_sentence else logits[:, -1]
        return [Coherence(float(value), f"the model says {float(value):.2f}") for value in values]

    @cached_property
    def _loaded(self) -> tuple[Any, Any, bool]:
        try:
            import transformers  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("transformers", "models") from error
        try:
            config = transformers.AutoConfig.from_pretrained(self._path)
            is_next = any("NextSentence" in name for name in config.architectures or ())
            kind = (
                transformers.AutoModelForNextSentencePrediction
                if is_next
                else transformers.AutoModelForSequenceClassification
            )
            tokenizer = transformers.AutoTokenizer.from_pretrained(self._path)
            return tokenizer, kind.from_pretrained(self._path).eval(), is_next
        except (OSError, ValueError) as error:
            raise InputError(
                f"{self._path} holds no next-sentence or cross-encoder model: {error}"
            ) from error
