"""Whether a text meets a criterion: by a player of the role, or offline by similarity."""

from __future__ import annotations

import asyncio
import re
from typing import Protocol

from msgspec import Struct

from du_eval.errors import AgentError
from du_eval.judges.judge import Judge
from du_eval.judges.similarity import SimilarityJudge
from du_eval.judges.tasks import LABELS, GistTask, Role

MEETS = LABELS[Role.GIST][0]
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


class GistOpinion(Struct, frozen=True):
    """Whether the criteria are met, None where that is not decided; why, and who says so."""

    met: bool | None
    reason: str
    judge: str


class GistJudge(Protocol):
    """Decides whether a text meets criteria."""

    @property
    def name(self) -> str:
        """How results name it."""
        ...

    async def decide(self, sample: str, criteria: str) -> GistOpinion:
        """Return an opinion about a text."""
        ...


class PlayedGist:
    """Lets a player of the role `gist` decide: rules, a local model, a chat model, or a chain of them."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.name = judge.name

    async def decide(self, sample: str, criteria: str) -> GistOpinion:
        """Return the opinion of the player, which works beside the event loop."""
        (found,) = await asyncio.to_thread(self._judge.judge, [GistTask(criteria, sample)])
        return GistOpinion(None if found.label is None else found.label == MEETS, found.reason, found.judge)


class UndecidedGist:
    """Without a model nobody can tell whether a criterion is met: every opinion is undecided."""

    name = "undecided without a model"

    async def decide(self, sample: str, criteria: str) -> GistOpinion:
        """Return that it cannot be told."""
        del sample, criteria
        return GistOpinion(None, "only a model can tell whether criteria are met: give --model", self.name)


class SimilarityGist:
    """A stand-in that has to be asked for: compares sentences with the criteria; understands nothing."""

    def __init__(self, similarity: SimilarityJudge, threshold: float = 0.3) -> None:
        self._similarity = similarity
        self._threshold = threshold
        self.name = f"offline similarity ({similarity.name}), not a language model"

    async def decide(self, sample: str, criteria: str) -> GistOpinion:
        """Return whether any sentence, or the whole, is similar enough to the criteria."""
        pieces = [sample, *(piece for piece in _SENTENCE.split(sample)[:50] if piece.strip())]
        try:
            scores = [await self._similarity.score(piece, criteria) for piece in pieces]
        except OSError as error:
            raise AgentError(f"the similarity model could not be loaded: {error}") from error
        best = max(scores)
        reason = f"the similarity to the criteria is {best:.2f}, the threshold {self._threshold:.2f}"
        return GistOpinion(best >= self._threshold, reason, self.name)
