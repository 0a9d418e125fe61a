"""Which flow a message is about: how alike it is to what the assistant's files say about each flow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from msgspec import Struct

from du_eval.assistants.model import Assistant, Flow
from du_eval.generators.baseline.index import MeaningIndex, Scores, TextIndex, bag_of_letters
from du_eval.generators.baseline.text import WORDS, content_stems, split_identifier
from du_eval.text.meaning import embed

_SHORT_OF_EXAMPLE = 0.3
_WEIGHTS = (1.5, 1.0, 0.6, 1.0)
"""What words of all texts of a flow, words of its title, letters and the direction of a whole text weigh."""
_BY_MEANING, _UNRELATED = 0.8, 0.1
"""The share of an embedding in the score, and the likeness of texts that share nothing."""
_AS_SAID = "my question is about {}"
"""How a user would name a flow; embeddings are of the words of a flow, and of this."""
_FOREIGN, _LEAST = 0.8, 0.12
"""The share of messages about other things that start no flow, and how well a flow must fit at least."""


class Embedding(Protocol):
    """Turns texts into rows of length 1 whose products tell how alike they are."""

    name: str

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return one row a text."""
        ...


class RankedFlow(Struct, frozen=True):
    """How well a flow fits a message, between 0 and 1."""

    flow: str
    score: float


class FlowRanker:
    """Ranks the flows that a user may start; built once for an assistant."""

    def __init__(self, assistant: Assistant, embedding: Embedding | None = None) -> None:
        flows = [flow for flow in assistant.user_flows if flow.is_startable]
        self.flows = tuple(flow.id for flow in flows)
        titles = [_join(split_identifier(flow.id), flow.name) for flow in flows]
        self.titles = dict(zip(self.flows, map(frozenset, map(content_stems, titles)), strict=True))
        short = [_join(split_identifier(flow.id), flow.name, flow.description) for flow in flows]
        examples = [_examples(assistant, flow) for flow in flows]
        long = [
            f"{text} {_slots(assistant, flow)} {' '.join(said)}"
            for text, flow, said in zip(short, flows, examples, strict=True)
        ]
        self._indexes = (MeaningIndex(long), MeaningIndex(titles), TextIndex(long, bag_of_letters))
        self._directions = np.array([embed(text) for text in short])
        self._owners = np.array([number for number, said in enumerate(examples) for _ in said], dtype=int)
        self._examples = MeaningIndex([text for said in examples for text in said])
        self._embedding = embedding
        self._vectors = _embed_both(embedding, short) if embedding and short else None
        foreign = [self.rank(text)[0].score for text in WORDS["unrelated"]] if flows else [1.0]
        self.least = max(_LEAST, float(np.quantile(foreign, _FOREIGN)))
        """How well a flow must fit a message to be meant: better than most messages about other things do."""

    def rank(self, text: str) -> tuple[RankedFlow, ...]:
        """Return all flows, the best one first; ties keep the order of the files."""
        if not self.flows:
            return ()
        alike = [index.compare(text) for index in self._indexes]
        directions = np.clip(self._directions @ embed(text), 0.0, 1.0)
        scores = np.average([*alike, directions], axis=0, weights=_WEIGHTS)
        if self._owners.size:
            by_example = np.zeros(len(self.flows))
            np.maximum.at(by_example, self._owners, self._examples.compare(text))
            scores = np.maximum(scores, by_example - _SHORT_OF_EXAMPLE)
        scores = self._with_meaning(text, scores)
        return tuple(RankedFlow(self.flows[i], float(scores[i])) for i in np.argsort(-scores, kind="stable"))

    def _with_meaning(self, text: str, scores: Scores) -> Scores:
        if self._embedding is None or self._vectors is None:
            return scores
        alike = np.clip(self._vectors @ self._embedding.vectors([text])[0] - _UNRELATED, 0.0, 1.0)
        mixed: Scores = _BY_MEANING * alike + (1 - _BY_MEANING) * scores
        return mixed


def _embed_both(embedding: Embedding, texts: Sequence[str]) -> Any:
    """Return one row of length 1 a text, for the text as it is and as a user would say it."""
    both = embedding.vectors(texts) + embedding.vectors([_AS_SAID.format(text) for text in texts])
    return both / np.maximum(np.linalg.norm(both, axis=1, keepdims=True), 1e-9)


def _join(*texts: str) -> str:
    """Return some texts as one, each once where they say the same."""
    different = {re.sub(r"\W", "", text).casefold(): text.strip() for text in reversed(texts)}
    return " ".join(reversed(different.values()))


def _slots(assistant: Assistant, flow: Flow) -> str:
    return " ".join(
        f"{split_identifier(item.slot)} {item.description} {_values(assistant, item.slot)}"
        for item in assistant.list_collects(flow.id)
    )


def _values(assistant: Assistant, slot: str) -> str:
    return split_identifier(" ".join(assistant.slots[slot].values)) if slot in assistant.slots else ""


def _examples(assistant: Assistant, flow: Flow) -> list[str]:
    return [text for intent in flow.intents for text in assistant.examples.get(intent, ())]
