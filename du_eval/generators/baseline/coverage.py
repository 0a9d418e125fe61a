"""How much of a message is about a flow: the share of its words that the flow's definition uses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from du_eval.generators.baseline.concepts import concept_of, expanded
from du_eval.generators.baseline.text import STOP_WORDS, stem, words

_BY_CONCEPT = 0.8
_UNKNOWN = 0.5


class Coverage:
    """Weighs words by rarity over the flows, and by the prominence of the place where a flow uses them."""

    def __init__(self, passages: Iterable[tuple[str, str, float]], flows: Sequence[str]) -> None:
        self._weights: dict[str, dict[str, float]] = {flow: {} for flow in flows}
        for flow, text, weight in passages:
            table = self._weights[flow]
            for term in _terms(text):
                table[term] = max(table.get(term, 0.0), weight)
        self._rarity = _rarity(self._weights)
        self._unknown = _UNKNOWN * math.log(1 + len(flows))

    def share(self, text: str, flow: str) -> float:
        """Return the share of a message's content that a flow covers, between 0 and 1."""
        covered = total = 0.0
        for stemmed in dict.fromkeys(_stems(text)):
            concept = concept_of(stemmed)
            rarity = self._rarity.get(stemmed, self._rarity.get(concept, self._unknown))
            total += rarity
            table = self._weights[flow]
            covered += rarity * max(table.get(stemmed, 0.0), _BY_CONCEPT * table.get(concept, 0.0))
        return covered / total if total else 0.0


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(expanded(text)) if word not in STOP_WORDS and not word[0].isdigit()]


def _terms(text: str) -> list[str]:
    stems = _stems(text)
    return stems + [concept_of(stemmed) for stemmed in stems]


def _rarity(weights: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    counts: dict[str, int] = {}
    for table in weights.values():
        for term in table:
            counts[term] = counts.get(term, 0) + 1
    return {term: math.log(1 + len(weights) / count) for term, count in counts.items()}
