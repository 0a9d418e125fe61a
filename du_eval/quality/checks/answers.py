"""Whether questions about told facts were answered rightly: ML-U3 to ML-U6, ML-I1 and ML-I4 to ML-I7."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.answer_rules import AnswerTask
from du_eval.judges.judge import Judge
from du_eval.judges.opinion import Opinion
from du_eval.judges.tasks import ClosedTask
from du_eval.quality.checks.base import Reply, decide, is_answered, leave_undecided, replies, verdict
from du_eval.quality.dialogue import ASKED, Dialogue, LineRole
from du_eval.quality.facts.model import DrawnFact
from du_eval.quality.results import Assessment
from du_eval.quality.scripts import NEVER_TOLD

UNCLEAR = "unclear"
_TELLING = frozenset({LineRole.CONTEXT, LineRole.INFORMATION, LineRole.UPDATE})


class AnswerCheck(Struct, frozen=True):
    """Compares replies with what was told."""

    answers: Judge
    yes_no: Judge

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each question on a fact; questions of a kind are judged in one batch."""
        asked = [(reply, fact) for reply in replies(dialogues) for fact in _fact_of(reply)]
        opened = iter(
            self.answers.judge(
                [
                    AnswerTask(reply.text, fact.accepted, fact.rejected, fact.open, _told(reply))
                    for reply, fact in asked
                    if _is_open(reply, fact)
                ]
            )
        )
        closed = iter(
            self.yes_no.judge(
                [
                    ClosedTask(reply.exchange.prompt, reply.text)
                    for reply, fact in asked
                    if not _is_open(reply, fact)
                ]
            )
        )
        return [
            _judge_open(reply, fact, next(opened))
            if _is_open(reply, fact)
            else _judge_other(reply, fact, next(closed))
            for reply, fact in asked
        ]


def _judge_open(reply: Reply, fact: DrawnFact, opinion: Opinion) -> Assessment:
    return replace(
        decide(mark_turn(reply, fact), opinion, "right"),
        interpretation=opinion.span,
        reason=f"{opinion.reason}; the right answer is '{fact.answer}'",
    )


def _judge_other(reply: Reply, fact: DrawnFact, opinion: Opinion) -> Assessment:
    blank, said = mark_turn(reply, fact), name_polarity(opinion)
    if not is_answered(reply):
        return replace(blank, reason=f"no reply: {reply.exchange.outcome}")
    if blank.variant == NEVER_TOLD:
        passed = is_abstention(reply.text)
        told = "abstains" if passed else (said if fact.closed else "answers")
        return replace(
            blank,
            verdict=verdict(passed=passed),
            interpretation=told,
            reason="was never told, so the right answer is that it does not know",
            judge="abstentions/1",
        )
    is_open = said == UNCLEAR and not is_abstention(reply.text)
    passed = said == fact.answer
    return replace(
        blank,
        verdict=verdict(passed=None if is_open else passed),
        value=None if is_open else float(passed),
        interpretation=said,
        reason=f"{opinion.reason}; the right answer is {fact.answer}",
        judge=opinion.judge,
        confidence=None if is_open else opinion.confidence or None,
    )


def name_polarity(opinion: Opinion) -> str:
    """Return yes, no or unclear."""
    return opinion.label or UNCLEAR


def _told(reply: Reply) -> str:
    """Return how the fact was told, where it was."""
    mark = reply.exchange.mark
    told = [
        one.prompt
        for one in reply.dialogue.exchanges[: reply.place]
        if mark and one.mark and one.mark.trial == mark.trial and one.mark.role in _TELLING
    ]
    return " ".join(told)


def _fact_of(reply: Reply) -> list[DrawnFact]:
    mark = reply.exchange.mark
    if mark is None or mark.role not in ASKED or mark.trial not in reply.dialogue.facts:
        return []
    fact = reply.dialogue.facts[mark.trial]
    return [] if fact.category == "CO" else [fact]


def _is_open(reply: Reply, fact: DrawnFact) -> bool:
    mark = reply.exchange.mark
    never = mark is not None and mark.variant == NEVER_TOLD
    return is_answered(reply) and not fact.closed and not never


def mark_turn(reply: Reply, fact: DrawnFact) -> Assessment:
    """Return a verdict without a judgement, with all that is known of a marked turn."""
    mark = reply.exchange.mark
    assert mark is not None, "only marked turns are asked about"
    return replace(
        leave_undecided(mark.test, reply),
        fact=fact.id,
        is_control=mark.role is LineRole.CONTROL,
        level=mark.level,
        nominal=mark.nominal,
        unit=mark.unit,
        variant=mark.variant,
        distance=mark.distance,
        pair=mark.pair,
    )
