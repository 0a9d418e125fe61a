"""What a check is: dialogues in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from du_eval.chatters.replies import ReplyStatus
from du_eval.judges.opinion import Opinion
from du_eval.quality.dialogue import Dialogue, MarkedExchange
from du_eval.quality.results import Assessment
from du_eval.runs.outcome import Outcome


class QualityCheck(Protocol):
    """Assesses dialogues, all at once so that judges can work in batches; yours is one more of these."""

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply that the check is about."""
        ...


class Reply(Struct, frozen=True):
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


def leave_undecided(test: str, reply: Reply, reason: str = "") -> Assessment:
    """Return a verdict on a turn that decides nothing yet."""
    return Assessment(test, reply.dialogue.number, reply.place, Outcome.UNDECIDED, reason=reason)


def leave_unanswered(test: str, reply: Reply) -> Assessment:
    """Return the verdict on a turn without an answer: none."""
    return leave_undecided(test, reply, f"no reply: {reply.exchange.outcome}")


def decide(found: Assessment, opinion: Opinion, right: str) -> Assessment:
    """Return a verdict as a judge decides it; `right` is the label that passes, no label decides nothing."""
    is_open = opinion.label is None
    passed = opinion.label == right
    return replace(
        found,
        verdict=verdict(passed=None if is_open else passed),
        value=opinion.score if opinion.score is not None or is_open else float(passed),
        threshold=opinion.threshold,
        reason=opinion.reason,
        judge=opinion.judge,
        confidence=None if is_open else opinion.confidence,
    )


def verdict(*, passed: bool | None) -> Outcome:
    """Return passed or failed; None: the judge cannot tell."""
    if passed is None:
        return Outcome.UNDECIDED
    return Outcome.PASSED if passed else Outcome.FAILED
