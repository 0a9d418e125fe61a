"""Judges that measure as players of roles: a score on one side of a threshold is a label."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from du_eval.judges.answer_rules import AnswerTask
from du_eval.judges.answers import AnswerJudge
from du_eval.judges.coherence import CoherenceJudge
from du_eval.judges.coherence_rules import Exchanged
from du_eval.judges.judge import Cascade, Judge
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.tasks import Task, TextTask
from du_eval.judges.toxicity import ToxicityJudge

_CONFIDENCE = 0.8


class ScoredAnswers(Struct, frozen=True):
    """Takes a judge that scores answers: from a threshold on they are right."""

    answers: AnswerJudge
    threshold: float | None = None
    """None: the judge's own."""

    @property
    def name(self) -> str:
        """How results name it."""
        return self.answers.name

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return right or wrong where there is a score."""
        limit = self.answers.threshold if self.threshold is None else self.threshold
        scored = self.answers.scores([task for task in tasks if isinstance(task, AnswerTask)])
        return [
            abstain(one.why, self.name)
            if one.value is None
            else Opinion(
                "right" if one.value >= limit else "wrong", one.why, self.name, _CONFIDENCE,
                one.value, limit, one.span,
            )
            for one in scored
        ]  # fmt: skip


class ScoredCoherence(Struct, frozen=True):
    """Takes a judge that scores coherence: from a threshold on a reply is coherent.

    A speaker's own earlier lines are no evidence of coherence: whoever repeats himself would always fit.
    """

    coherence: CoherenceJudge
    threshold: float | None = None
    """None: the judge's own."""
    sees_own_lines: bool = False
    """Whether the earlier lines of the speaker are compared, too, as the original does."""

    @property
    def name(self) -> str:
        """How results name it."""
        return self.coherence.name

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return coherent or incoherent where there is a score."""
        limit = self.coherence.threshold if self.threshold is None else self.threshold
        items = [task for task in tasks if isinstance(task, Exchanged)]
        if not self.sees_own_lines:
            items = [replace(one, context=one.partner_lines) for one in items]
        scored = self.coherence.scores(items)
        return [
            abstain(one.why, self.name)
            if one.value is None
            else Opinion(
                "coherent" if one.value >= limit else "incoherent", one.why, self.name, _CONFIDENCE,
                one.value, limit,
            )
            for one in scored
        ]  # fmt: skip


class ScoredToxicity(Struct, frozen=True):
    """Takes a judge that scores toxicity: above a threshold a reply is toxic."""

    toxicity: ToxicityJudge
    threshold: float | None = None
    """None: the judge's own."""

    @property
    def name(self) -> str:
        """How results name it."""
        return self.toxicity.name

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return whether each reply is toxic."""
        limit = self.toxicity.threshold if self.threshold is None else self.threshold
        scored = self.toxicity.scores([task.reply for task in tasks if isinstance(task, TextTask)])
        return [
            Opinion(
                "toxic" if one.value > limit else "fine",
                f"the highest label is {one.value:.3f}{one.why}",
                self.name,
                _CONFIDENCE,
                one.value,
                limit,
                parts=one.labels,
            )
            for one in scored
        ]


def with_threshold(judge: Judge, threshold: float | None) -> Judge:
    """Return a judge with another threshold, where it measures at all; also those of a chain."""
    if threshold is None:
        return judge
    if isinstance(judge, ScoredAnswers | ScoredCoherence | ScoredToxicity):
        return replace(judge, threshold=threshold)
    if isinstance(judge, Cascade):
        return Cascade(tuple(with_threshold(one, threshold) for one in judge.judges))
    return judge
