"""Whether the bot says the same about itself each time it is asked: ML-I13."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.answer_rules import AnswerTask
from du_eval.judges.answers import AnswerJudge
from du_eval.judges.numerals import tokens_of
from du_eval.judges.yes_no import Polarity, YesNoJudge
from du_eval.quality.checks.answers import marked, scored_verdict
from du_eval.quality.checks.base import Reply, is_answered, replies, verdict
from du_eval.quality.dialogue import Dialogue, Role
from du_eval.quality.facts.model import DrawnFact
from du_eval.quality.results import Assessment

_FRAME = frozenset({
    "i", "i'm", "am", "is", "are", "my", "me", "it", "it's", "that's", "that", "the", "a", "an", "you",
    "your", "in", "at", "on", "of", "to", "and", "for", "with", "have", "has", "do", "does", "would",
    "say", "well", "think", "like", "love", "prefer", "best", "most", "favourite", "favorite", "called",
    "name", "named", "from", "live", "lives", "work", "works", "as", "years", "old", "yes", "no", "not",
    "really", "very", "just", "so", "mine", "was", "were", "be", "been", "one",
    "я", "меня", "мне", "мой", "моя", "мое", "мои", "мной", "у", "это", "в", "на", "с", "и", "а", "не", "да",
    "нет", "зовут", "имя", "звать", "есть", "живу", "работаю", "люблю", "нравится", "больше", "всего",
    "очень", "лет", "года", "год", "думаю", "наверное", "ну", "вот", "как", "бы", "же", "из", "по", "родом",
    "любимый", "любимая", "любимое", "мою", "моей", "моего",
})  # fmt: skip
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class _Pair:
    """A later answer, and the first one to the same question."""

    first: Reply
    later: Reply
    fact: DrawnFact


@dataclass(frozen=True)
class ConsistencyCheck:
    """Compares later answers with the first, which is the reference and not scored."""

    answers: AnswerJudge
    yes_no: YesNoJudge

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each later answer."""
        pairs = list(_pairs(dialogues))
        open_ones = [pair for pair in pairs if not pair.fact.closed and _comparable(pair)]
        tasks = [AnswerTask(pair.later.text, own_values(pair), (), pair.fact.open) for pair in open_ones]
        judged = dict(zip(map(id, open_ones), self.answers.scores(tasks), strict=True))
        found = []
        for pair in pairs:
            answer = judged.get(id(pair))
            if answer is None:
                found.append(self._closed(pair))
                continue
            found.append(
                replace(
                    _blank(pair),
                    verdict=scored_verdict(answer.value, self.answers.threshold),
                    value=answer.value,
                    threshold=self.answers.threshold,
                    interpretation=answer.span,
                    reason=f"{answer.why}; the first answer was '{pair.first.text}'",
                    judge=self.answers.name,
                )
            )
        return found

    def _closed(self, pair: _Pair) -> Assessment:
        blank = _blank(pair)
        if not is_answered(pair.later) or not is_answered(pair.first):
            return replace(blank, reason="no reply, now or at first")
        if is_abstention(pair.first.text):
            return replace(blank, reason="the first answer gives no information")
        first = self.yes_no.decide(pair.first.text, pair.first.exchange.prompt)
        if first.polarity is Polarity.UNCLEAR:
            return replace(blank, reason="the first answer is neither yes nor no")
        later = self.yes_no.decide(pair.later.text, pair.later.exchange.prompt)
        if later.polarity is Polarity.UNCLEAR and not is_abstention(pair.later.text):
            return replace(
                blank, interpretation=str(later.polarity), reason=later.reason, judge=self.yes_no.name
            )
        return replace(
            blank,
            verdict=verdict(passed=first.polarity is later.polarity),
            value=float(first.polarity is later.polarity),
            interpretation=str(later.polarity),
            reason=f"{later.reason}; the first answer was {first.polarity}",
            judge=self.yes_no.name,
        )


def own_values(pair: _Pair) -> tuple[str, ...]:
    """Return what the first answer says beyond the words of the question and of any such answer."""
    frame = _FRAME | {word for text in pair.fact.questions for word in tokens_of(text)}
    words = [word for word in tokens_of(pair.first.text) if word not in frame]
    numbers = tuple(word for word in words if word[0].isdecimal())
    if numbers:
        return numbers
    if words and len(words) <= _MOST_WORDS:
        return (" ".join(words), *(word for word in words if len(word) > 2))
    return (re.sub(r"[.!?]+$", "", pair.first.text),)


def _comparable(pair: _Pair) -> bool:
    answered = is_answered(pair.first) and is_answered(pair.later)
    return answered and not is_abstention(pair.first.text)


def _pairs(dialogues: Sequence[Dialogue]) -> Iterator[_Pair]:
    first: dict[tuple[int, int], Reply] = {}
    for reply in replies(dialogues):
        mark = reply.exchange.mark
        fact = reply.dialogue.facts.get(mark.trial) if mark else None
        if mark is None or fact is None or fact.category != "CO":
            continue
        key = (reply.dialogue.number, mark.trial)
        if mark.role is Role.REFERENCE or key not in first:
            first.setdefault(key, reply)
        elif mark.role is Role.QUESTION:
            yield _Pair(first[key], reply, fact)


def _blank(pair: _Pair) -> Assessment:
    mark = pair.later.exchange.mark
    assert mark is not None, "only marked turns are asked about"
    return marked(mark, pair.later, pair.fact)
