"""Whether questions about told facts were answered rightly: ML-U3 to ML-U6, ML-I1 and ML-I4 to ML-I7."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.answer_rules import AnswerTask
from du_eval.judges.answers import Answer, AnswerJudge
from du_eval.judges.yes_no import Polarity, YesNoJudge
from du_eval.quality.checks.base import Reply, is_answered, replies, verdict
from du_eval.quality.dialogue import ASKED, Dialogue, Mark, Role
from du_eval.quality.facts.model import DrawnFact
from du_eval.quality.results import Assessment, Verdict
from du_eval.quality.scripts import NEVER_TOLD


@dataclass(frozen=True)
class AnswerCheck:
    """Compares replies with what was told."""

    answers: AnswerJudge
    yes_no: YesNoJudge
    threshold: float | None = None

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each question on a fact; open questions are judged in one batch."""
        asked = [(reply, fact) for reply in replies(dialogues) for fact in _fact_of(reply)]
        open_ones = [(reply, fact) for reply, fact in asked if _is_open(reply, fact)]
        tasks = [AnswerTask(reply.text, fact.accepted, fact.rejected, fact.open) for reply, fact in open_ones]
        judged = iter(self.answers.scores(tasks))
        return [
            self._open(reply, fact, next(judged)) if _is_open(reply, fact) else self._other(reply, fact)
            for reply, fact in asked
        ]

    def _open(self, reply: Reply, fact: DrawnFact, answer: Answer) -> Assessment:
        threshold = self.answers.threshold if self.threshold is None else self.threshold
        return replace(
            _blank(reply, fact),
            verdict=scored_verdict(answer.value, threshold),
            value=answer.value,
            threshold=threshold,
            interpretation=answer.span,
            reason=f"{answer.why}; right is '{fact.answer}'",
            judge=self.answers.name,
        )

    def _other(self, reply: Reply, fact: DrawnFact) -> Assessment:
        blank = _blank(reply, fact)
        if not is_answered(reply):
            return replace(blank, reason=f"no reply: {reply.exchange.outcome}")
        found = self.yes_no.decide(reply.text, reply.exchange.prompt)
        if blank.variant == NEVER_TOLD:
            passed = is_abstention(reply.text)
            said = "abstains" if passed else (found.polarity if fact.closed else "answers")
            return replace(
                blank,
                verdict=verdict(passed=passed),
                interpretation=str(said),
                reason="was never told, so only not knowing is right",
                judge="abstentions/1",
            )
        is_open = found.polarity is Polarity.UNCLEAR and not is_abstention(reply.text)
        passed = found.polarity == fact.answer
        return replace(
            blank,
            verdict=Verdict.UNJUDGED if is_open else verdict(passed=passed),
            value=None if is_open else float(passed),
            interpretation=str(found.polarity),
            reason=f"{found.reason}; right is {fact.answer}",
            judge=self.yes_no.name,
        )


def scored_verdict(value: float | None, threshold: float) -> Verdict:
    """Return the verdict of a score; none where the judge cannot tell."""
    return Verdict.UNJUDGED if value is None else verdict(passed=value >= threshold)


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


def _blank(reply: Reply, fact: DrawnFact) -> Assessment:
    mark = reply.exchange.mark
    assert mark is not None, "only marked turns are asked about"
    return marked(mark, reply, fact)


def marked(mark: Mark, reply: Reply, fact: DrawnFact) -> Assessment:
    """Return a verdict without a judgement, with all that is known of the turn."""
    return Assessment(
        test=mark.test,
        dialogue=reply.dialogue.number,
        exchange=reply.place,
        verdict=Verdict.UNJUDGED,
        fact=fact.id,
        is_control=mark.role is Role.CONTROL,
        level=mark.level,
        nominal=mark.nominal,
        unit=mark.unit,
        variant=mark.variant,
        distance=mark.distance,
        pair=mark.pair,
    )
