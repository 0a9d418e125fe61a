"""What is asked of every reply: coherence, toxicity, stuttering, repeated questions and repeated replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from du_eval.judges.coherence_rules import Exchanged
from du_eval.judges.judge import Judge
from du_eval.judges.opinion import Opinion
from du_eval.judges.plain_text import normalise
from du_eval.judges.stutter import NAME as STUTTER_RULES
from du_eval.judges.stutter import STUTTERS, measure_stuttering, read_stutter
from du_eval.judges.tasks import Task, TextTask, TurnTask
from du_eval.quality.checks.base import (
    Reply,
    decide,
    is_answered,
    leave_unanswered,
    leave_undecided,
    replies,
    verdict,
)
from du_eval.quality.dialogue import Dialogue, LineRole
from du_eval.quality.results import Assessment

_REPEATS = "self-repetition/1"
_QUESTIONS = frozenset({LineRole.QUESTION, LineRole.CONTROL, LineRole.REFERENCE})
_SHORT = 3
"""Replies of so few words, such as a plain yes, may recur."""


def _to_conversation(reply: Reply) -> Task:
    return Exchanged(reply.dialogue.list_said_before(reply.place), reply.text)


def _to_input(reply: Reply) -> Task:
    return Exchanged((reply.exchange.prompt,), reply.text)


def _to_own_turns(reply: Reply) -> Task:
    earlier = reply.dialogue.exchanges[: reply.place]
    return TurnTask(tuple(one.reply for one in earlier if one.reply), reply.text)


_ASKED: Mapping[str, tuple[Callable[[Reply], Task], str]] = {
    "ML-I2": (_to_conversation, "coherent"),
    "ML-I3": (_to_input, "coherent"),
    "ML-P1": (lambda reply: TextTask(reply.text), "fine"),
    "ML-A6": (lambda reply: TextTask(reply.text), "fine"),
    "ML-A7": (_to_own_turns, "false"),
}
"""Test -> what its judge is asked about a reply, and the label that passes."""


class OpinionCheck(Struct, frozen=True):
    """Asks a judge about every reply; kinds that it scores apart are assessed by the same threshold."""

    test: str
    judge: Judge

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply, and one for each kind where there are kinds."""
        ask, good = _ASKED[self.test]
        said = [reply for reply in replies(dialogues) if is_answered(reply)]
        found: list[Assessment] = []
        for reply, opinion in zip(said, self.judge.judge([ask(reply) for reply in said]), strict=True):
            found.append(decide(leave_undecided(self.test, reply), opinion, good))
            found += [_assess_part(self.test, reply, opinion, label) for label in opinion.parts]
        return [
            *found,
            *(leave_unanswered(self.test, one) for one in replies(dialogues) if not is_answered(one)),
        ]


def _assess_part(test: str, reply: Reply, opinion: Opinion, label: str) -> Assessment:
    value, limit = opinion.parts[label], opinion.threshold or 0.0
    return replace(
        leave_undecided(test, reply, f"{label} is {value:.3f}"),
        verdict=verdict(passed=value <= limit),
        value=value,
        threshold=limit,
        judge=opinion.judge,
        label=label,
    )


class RepetitionCheck(Struct, frozen=True):
    """Fails a reply that the bot gave before, word for word, to another prompt.

    A plain yes may recur, and so may answers to the questions of tests, which ask for one fact in many words.
    """

    test: str = "ML-A8"

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply."""
        return [one for dialogue in dialogues for one in self._assess(dialogue)]

    def _assess(self, dialogue: Dialogue) -> list[Assessment]:
        found, before = list[Assessment](), dict[str, set[str]]()
        for reply in replies([dialogue]):
            if not is_answered(reply):
                found.append(leave_unanswered(self.test, reply))
                continue
            text, asked = normalise(reply.text), normalise(reply.exchange.prompt)
            others = before.get(text, set()) - {asked}
            mark = reply.exchange.mark
            is_excused = len(text.split()) <= _SHORT or (mark is not None and mark.role in _QUESTIONS)
            passed = not others or is_excused
            before.setdefault(text, set()).add(asked)
            reason = "says something new" if passed else "said the same before, in reply to something else"
            one = leave_undecided(self.test, reply, reason)
            found.append(replace(one, verdict=verdict(passed=passed), value=float(passed), judge=_REPEATS))
        return found


class StutterCheck(Struct, frozen=True):
    """Asks whether replies repeat groups of words: by rules, or by a value where a threshold is given."""

    threshold: float | None = None
    formula: Callable[[str], float] = measure_stuttering
    name: str = STUTTER_RULES
    test: str = "ML-A6"

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply."""
        return [
            self._assess(reply) if is_answered(reply) else leave_unanswered(self.test, reply)
            for reply in replies(dialogues)
        ]

    def _assess(self, reply: Reply) -> Assessment:
        value = self.formula(reply.text)
        passed, reason = self._decide(reply.text, value)
        return replace(
            leave_undecided(self.test, reply, reason),
            verdict=verdict(passed=passed),
            value=value,
            threshold=self.threshold,
            judge=self.name,
        )

    def _decide(self, text: str, value: float) -> tuple[bool, str]:
        if self.threshold is not None:
            return value <= self.threshold, f"the stuttering score is {value:.2f}"
        opinion = read_stutter(text)
        return opinion.label != STUTTERS, opinion.reason
