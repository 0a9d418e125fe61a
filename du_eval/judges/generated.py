"""How good a generated answer is: whether it is about the question, and whether facts support it."""

from __future__ import annotations

import re
from typing import Protocol

from msgspec import Struct

from du_eval.errors import AgentError
from du_eval.judges.gist import GistJudge
from du_eval.judges.similarity import SimilarityJudge

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_MOST_SENTENCES = 50


class Rating(Struct, frozen=True):
    """How good an answer is from 0 to 1, None where that is not decided; and why."""

    value: float | None
    reason: str


class AnswerRater(Protocol):
    """Rates generated answers."""

    @property
    def name(self) -> str:
        """How results name it."""
        ...

    async def rate_relevance(self, answer: str, question: str) -> Rating:
        """Return how much an answer is about the question."""
        ...

    async def rate_grounding(self, answer: str, facts: str) -> Rating:
        """Return which part of an answer is supported by facts."""
        ...


class PlayedRater:
    """Lets a player of the role `gist` decide whether an answer is good: 1, 0, or undecided."""

    def __init__(self, gist: GistJudge) -> None:
        self._gist = gist
        self.name = gist.name

    async def rate_relevance(self, answer: str, question: str) -> Rating:
        """Return whether an answer helps to answer the question."""
        return await self._rate(answer, f"The response helps to answer this question: {question}")

    async def rate_grounding(self, answer: str, facts: str) -> Rating:
        """Return whether facts support everything that an answer says."""
        return await self._rate(answer, f"These facts support everything that the response says: {facts}")

    async def _rate(self, answer: str, criterion: str) -> Rating:
        found = await self._gist.decide(answer, criterion)
        return Rating(None if found.met is None else float(found.met), found.reason)


class SimilarityRater:
    """The offline stand-in: compares sentences; understands nothing."""

    def __init__(self, similarity: SimilarityJudge) -> None:
        self._similarity = similarity
        self.name = f"offline similarity ({similarity.name}), not a language model"

    async def rate_relevance(self, answer: str, question: str) -> Rating:
        """Return the similarity of the answer, or of its nearest sentence, to the question."""
        pieces = dict.fromkeys([answer, *_sentences(answer)])
        best = max([await self._score(piece, question) for piece in pieces])
        return Rating(best, "the similarity of its nearest sentence to the question")

    async def rate_grounding(self, answer: str, facts: str) -> Rating:
        """Return the share of sentences that are similar to a sentence of the facts."""
        known, said = dict.fromkeys([facts, *_sentences(facts)]), _sentences(answer) or [answer]
        best = [max([await self._score(piece, fact) for fact in known]) for piece in said]
        near = sum(score >= self._similarity.threshold for score in best)
        reason = f"{near} of {len(said)} sentences are similar to a sentence of the facts"
        return Rating(near / len(said), f"{reason} (at least {self._similarity.threshold:g})")

    async def _score(self, text: str, other: str) -> float:
        try:
            return await self._similarity.score(text, other)
        except OSError as error:
            raise AgentError(f"the similarity model could not be loaded: {error}") from error


def _sentences(text: str) -> list[str]:
    return [piece.strip() for piece in _SENTENCE.split(text)[:_MOST_SENTENCES] if piece.strip()]
