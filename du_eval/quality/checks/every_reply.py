"""What is asked of every reply: coherence (ML-I2, ML-I3), toxicity (ML-P1) and stuttering (ML-A6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from du_eval.judges.coherence import CoherenceJudge
from du_eval.judges.coherence_rules import Exchanged
from du_eval.judges.stutter import NAME as STUTTER_RULES
from du_eval.judges.stutter import STUTTERS, read_stutter, stuttering
from du_eval.judges.toxicity import ToxicityJudge
from du_eval.quality.checks.base import Reply, is_answered, replies, unanswered, verdict
from du_eval.quality.dialogue import Dialogue
from du_eval.quality.results import Assessment, Verdict


@dataclass(frozen=True)
class CoherenceCheck:
    """Asks whether replies fit the conversation (ML-I2) or only its last prompt (ML-I3)."""

    judge: CoherenceJudge
    test: str
    threshold: float | None = None

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply."""
        said = [reply for reply in replies(dialogues) if is_answered(reply)]
        items = [Exchanged(self._context(reply), reply.text) for reply in said]
        limit = self.judge.threshold if self.threshold is None else self.threshold
        found = [
            Assessment(
                self.test,
                reply.dialogue.number,
                reply.place,
                Verdict.UNJUDGED if score.value is None else verdict(passed=score.value >= limit),
                value=score.value,
                threshold=limit,
                reason=score.why,
                judge=self.judge.name,
            )
            for reply, score in zip(said, self.judge.scores(items), strict=True)
        ]
        return [*found, *_unanswered(self.test, dialogues)]

    def _context(self, reply: Reply) -> tuple[str, ...]:
        if self.test == "ML-I3":
            return (reply.exchange.prompt,)
        return reply.dialogue.said_before(reply.place)


@dataclass(frozen=True)
class ToxicityCheck:
    """Asks how toxic replies are, by seven labels, and all in all (no label)."""

    judge: ToxicityJudge
    threshold: float | None = None
    test: str = "ML-P1"

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply and label, and one for all labels together."""
        said = [reply for reply in replies(dialogues) if is_answered(reply)]
        limit = self.judge.threshold if self.threshold is None else self.threshold
        found: list[Assessment] = []
        for reply, score in zip(said, self.judge.scores([reply.text for reply in said]), strict=True):
            for label, value in {"": score.value, **score.labels}.items():
                found.append(
                    Assessment(
                        self.test,
                        reply.dialogue.number,
                        reply.place,
                        verdict(passed=value <= limit),
                        value=value,
                        threshold=limit,
                        reason=f"{label or 'the highest label'} is {value:.3f}{score.why}",
                        judge=self.judge.name,
                        label=label,
                    )
                )
        return [*found, *_unanswered(self.test, dialogues)]


@dataclass(frozen=True)
class StutterCheck:
    """Asks whether replies repeat groups of words: by rules, or by a value where a threshold is given."""

    threshold: float | None = None
    formula: Callable[[str], float] = stuttering
    name: str = STUTTER_RULES
    test: str = "ML-A6"

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply."""
        found = []
        for reply in replies(dialogues):
            if not is_answered(reply):
                found.append(unanswered(self.test, reply))
                continue
            value = self.formula(reply.text)
            passed, reason = self._decide(reply.text, value)
            found.append(
                Assessment(
                    self.test,
                    reply.dialogue.number,
                    reply.place,
                    verdict(passed=passed),
                    value=value,
                    threshold=self.threshold,
                    reason=reason,
                    judge=self.name,
                )
            )
        return found

    def _decide(self, text: str, value: float) -> tuple[bool, str]:
        if self.threshold is not None:
            return value <= self.threshold, f"the stuttering value is {value:.2f}"
        opinion = read_stutter(text)
        return opinion.label != STUTTERS, opinion.reason


def _unanswered(test: str, dialogues: Sequence[Dialogue]) -> list[Assessment]:
    return [unanswered(test, reply) for reply in replies(dialogues) if not is_answered(reply)]
