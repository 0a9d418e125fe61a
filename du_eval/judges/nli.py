"""Whether one text entails or contradicts another, by a local model of natural language inference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from du_eval.errors import InputError, MissingExtraError, Problem

_BATCH, _MOST_TOKENS = 32, 512


class Inference(Struct, frozen=True):
    """How likely a text entails or contradicts another; the rest is neutral."""

    entailment: float
    contradiction: float


class NliModel:
    """A cross-encoder from a folder, or by its hub name where it is already downloaded."""

    def __init__(self, model: str) -> None:
        self._path = model
        self.name = f"nli:{model.rstrip('/').rsplit('/', 1)[-1]}"

    def infer(self, pairs: Sequence[tuple[str, str]]) -> list[Inference]:
        """Return what each first text says about the second."""
        import torch  # noqa: PLC0415 - an extra

        tokenizer, model, (entails, contradicts) = self._loaded
        most = min(int(getattr(model.config, "max_position_embeddings", _MOST_TOKENS)), _MOST_TOKENS)
        found: list[Inference] = []
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            encoded = tokenizer(
                [one for one, _ in batch],
                [other for _, other in batch],
                truncation=True,
                max_length=most,
                padding=True,
                return_tensors="pt",
            )
            with torch.no_grad():
                chances = model(**encoded).logits.softmax(-1)
            found += [Inference(float(row[entails]), float(row[contradicts])) for row in chances]
        return found

    @cached_property
    def _loaded(self) -> tuple[Any, Any, tuple[int, int]]:
        try:
            import transformers  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtraError("transformers", "models") from error
        hint = "`du-eval judges fetch` downloads it, or give a folder"
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(self._path, local_files_only=True)
            model = transformers.AutoModelForSequenceClassification.from_pretrained(
                self._path, local_files_only=True
            ).eval()
        except (OSError, ValueError) as error:
            raise InputError(Problem(self._path, 0, "holds no model of inference", hint)) from error
        names = {str(label).casefold(): int(place) for place, label in model.config.id2label.items()}
        if not {"entailment", "contradiction"} <= set(names):
            known = ", ".join(names)
            raise InputError(
                Problem(self._path, 0, f"has the labels {known}", "entailment and contradiction are needed")
            )
        return tokenizer, model, (names["entailment"], names["contradiction"])
