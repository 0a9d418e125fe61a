"""What a check is: dialogues in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from du_eval.chatters.replies import ReplyStatus
from du_eval.judges.repeated import NAME as RULES
from du_eval.judges.repeated import REPEATED, AskedQuestion, read_questions, read_repeated
from du_eval.judges.similarity import SimilarityJudge
from du_eval.quality.dialogue import Dialogue, MarkedExchange
from du_eval.quality.results import Assessment
from du_eval.runs.outcome import Outcome


class QualityCheck(Protocol):
    """Assesses dialogues, all at once so that judges can work in batches; yours is one more of these."""

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply that the check is about."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply and where it was given."""

    dialogue: Dialogue
    place: int

    @property
    def exchange(self) -> MarkedExchange:
        """The turn."""
        return self.dialogue.exchanges[self.place]

    @property
    def text(self) -> str:
        """What the bot said."""
        return self.exchange.reply


def replies(dialogues: Sequence[Dialogue]) -> Iterator[Reply]:
    """Yield every turn of the bot, also those without an answer."""
    for dialogue in dialogues:
        for place in range(len(dialogue.exchanges)):
            yield Reply(dialogue, place)


def is_answered(reply: Reply) -> bool:
    """Return whether the bot said anything."""
    return reply.exchange.outcome is ReplyStatus.ANSWERED


def unanswered(test: str, reply: Reply) -> Assessment:
    """Return the verdict on a turn without an answer: none."""
    outcome = reply.exchange.outcome
    return Assessment(
        test, reply.dialogue.number, reply.place, Outcome.UNDECIDED, reason=f"no reply: {outcome}"
    )


def verdict(*, passed: bool | None) -> Outcome:
    """Return passed or failed; None: the judge cannot tell."""
    if passed is None:
        return Outcome.UNDECIDED
    return Outcome.PASSED if passed else Outcome.FAILED


@dataclass(frozen=True)
class RepeatedQuestionCheck:
    """Fails a reply that asks what the bot has asked before: by rules, or in words that are alike."""

    judge: SimilarityJudge
    threshold: float = 0.85
    test: str = "ML-A7"

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply; all pairs of different questions are compared in one batch."""
        asked = [[read_questions(exchange.reply) for exchange in one.exchanges] for one in dialogues]
        pairs = sorted({pair for places in asked for pair in _pairs(places)})
        likeness = dict(zip(pairs, self.judge.scores(pairs), strict=True))
        found: list[Assessment] = []
        for dialogue, places in zip(dialogues, asked, strict=True):
            found += self._assess(dialogue, places, likeness)
        return found

    def _assess(
        self,
        dialogue: Dialogue,
        places: Sequence[Sequence[AskedQuestion]],
        likeness: dict[tuple[str, str], float],
    ) -> list[Assessment]:
        opinions = read_repeated([exchange.reply for exchange in dialogue.exchanges])
        found, before = [], list[AskedQuestion]()
        for reply, opinion in zip(replies([dialogue]), opinions, strict=True):
            if not is_answered(reply):
                found.append(unanswered(self.test, reply))
                continue
            value, why = self._worst(places[reply.place], before, likeness)
            if opinion.label == REPEATED:
                value, why = 1.0, opinion.reason
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
                    judge=f"{RULES}({self.judge.name})",
                )
            )
        return found

    def _worst(
        self,
        now: Sequence[AskedQuestion],
        before: Sequence[AskedQuestion],
        likeness: dict[tuple[str, str], float],
    ) -> tuple[float, str]:
        value, why = 0.0, "asks nothing" if not now else "asks something new"
        for new in (one.text for one in now):
            for old in (one.text for one in before):
                alike = 1.0 if new == old else likeness[min(new, old), max(new, old)]
                if alike > value:
                    value, why = alike, f"'{new}' was asked before as '{old}' ({alike:.2f})"
        return value, why


def _pairs(places: Sequence[Sequence[AskedQuestion]]) -> set[tuple[str, str]]:
    different = sorted({one.text for place in places for one in place})
    return {(one, other) for start, one in enumerate(different) for other in different[start + 1 :]}
