"""Whether the bot asks the same thing again, in the same words or in others: ML-A7."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from du_eval.judges.similarity import SimilarityJudge
from du_eval.quality.checks.base import is_answered, replies, unanswered, verdict
from du_eval.quality.dialogue import Dialogue
from du_eval.quality.results import Assessment

_SENTENCE = re.compile(r"[^.!?…\n]*(?:(?<=\d)\.(?=\d)[^.!?…\n]*)*[.!?…\n]*")
_OPENER = re.compile(r"^(?:well|so|and|but|ok|okay|hello|hi|hey|oh|nice|great|ну|а|и|ой|ок)\b[\s,]*")
_TAGS = frozenset({"right", "really", "isn't it", "what", "sure", "ok", "yes", "no", "да", "правда", "ладно"})


@dataclass(frozen=True)
class RepeatedQuestionCheck:
    """Fails a reply that asks what the bot has asked before in the dialogue."""

    judge: SimilarityJudge
    threshold: float = 0.85
    test: str = "ML-A7"

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply; all pairs of different questions are compared in one batch."""
        asked = [_asked(dialogue) for dialogue in dialogues]
        pairs = sorted({pair for places in asked for pair in _pairs(places)})
        likeness = dict(zip(pairs, self.judge.scores(pairs), strict=True))
        found: list[Assessment] = []
        for dialogue, places in zip(dialogues, asked, strict=True):
            before: list[str] = []
            for reply in replies([dialogue]):
                if not is_answered(reply):
                    found.append(unanswered(self.test, reply))
                    continue
                value, why = self._worst(places[reply.place], before, likeness)
                before += places[reply.place]
                found.append(
                    Assessment(
                        self.test,
                        dialogue.number,
                        reply.place,
                        verdict(passed=value < self.threshold),
                        value=value,
                        threshold=self.threshold,
                        reason=why,
                        judge=self.judge.name,
                    )
                )
        return found

    def _worst(
        self, now: Sequence[str], before: Sequence[str], likeness: dict[tuple[str, str], float]
    ) -> tuple[float, str]:
        value, why = 0.0, "asks nothing" if not now else "asks something new"
        for question in now:
            for old in before:
                alike = 1.0 if question == old else likeness[min(question, old), max(question, old)]
                if alike > value:
                    value, why = alike, f"'{question}' was asked before as '{old}' ({alike:.2f})"
        return value, why


def questions_of(text: str) -> list[str]:
    """Return the questions of a text: whole sentences in small letters, without tags such as `right?`."""
    found = []
    for sentence in _SENTENCE.findall(text.casefold()):
        if not sentence.rstrip().endswith("?"):
            continue
        words = re.sub(r"[^\w\s',.-]", " ", sentence)
        question = _OPENER.sub("", re.sub(r"\s+", " ", words).strip(" ,.-"))
        if question and question not in _TAGS:
            found.append(question)
    return found


def _asked(dialogue: Dialogue) -> list[list[str]]:
    return [questions_of(exchange.reply) for exchange in dialogue.exchanges]


def _pairs(places: Sequence[Sequence[str]]) -> set[tuple[str, str]]:
    different = sorted({question for place in places for question in place})
    return {(one, other) for start, one in enumerate(different) for other in different[start + 1 :]}
