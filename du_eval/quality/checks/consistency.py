"""Whether the bot says the same about itself each time it is asked: ML-I13."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.answer_rules import AnswerTask
from du_eval.judges.judge import Judge
from du_eval.judges.numerals import split_tokens
from du_eval.judges.opinion import Opinion
from du_eval.judges.tasks import ClosedTask
from du_eval.quality.checks.answers import UNCLEAR, mark_turn, name_polarity
from du_eval.quality.checks.base import Reply, decide, is_answered, replies, verdict
from du_eval.quality.dialogue import Dialogue, LineRole
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


class _Pair(Struct, frozen=True):
    """A later answer, and the first one to the same question."""

    first: Reply
    later: Reply
    fact: DrawnFact


class ConsistencyCheck(Struct, frozen=True):
    """Compares later answers with the first, which is the reference and not scored."""

    answers: Judge
    yes_no: Judge

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each later answer; answers of a kind are judged in one batch."""
        pairs = list(_pairs(dialogues))
        open_ones = [pair for pair in pairs if not pair.fact.closed and _comparable(pair)]
        tasks = [AnswerTask(pair.later.text, list_own_values(pair), (), pair.fact.open) for pair in open_ones]
        opened = dict(zip(map(id, open_ones), self.answers.judge(tasks), strict=True))
        closed = [pair for pair in pairs if id(pair) not in opened and _comparable(pair)]
        both = [one for pair in closed for one in (pair.first, pair.later)]
        said = self.yes_no.judge([ClosedTask(one.exchange.prompt, one.text) for one in both])
        polarities = dict(zip(map(id, closed), zip(said[::2], said[1::2], strict=True), strict=True))
        return [
            _judge_open(pair, opened[id(pair)])
            if id(pair) in opened
            else _judge_closed(pair, polarities.get(id(pair)))
            for pair in pairs
        ]


def _judge_open(pair: _Pair, opinion: Opinion) -> Assessment:
    return replace(
        decide(mark_turn(pair.later, pair.fact), opinion, "right"),
        interpretation=opinion.span,
        reason=f"{opinion.reason}; the first answer was '{pair.first.text}'",
    )


def _judge_closed(pair: _Pair, said: tuple[Opinion, Opinion] | None) -> Assessment:
    blank = mark_turn(pair.later, pair.fact)
    if said is None:
        answered = is_answered(pair.later) and is_answered(pair.first)
        return replace(
            blank,
            reason="the first answer gives no information" if answered else "no reply, now or at first",
        )
    first, later = map(name_polarity, said)
    if first == UNCLEAR:
        return replace(blank, reason="the first answer is neither yes nor no")
    if later == UNCLEAR and not is_abstention(pair.later.text):
        return replace(blank, interpretation=later, reason=said[1].reason, judge=said[1].judge)
    return replace(
        blank,
        verdict=verdict(passed=first == later),
        value=float(first == later),
        interpretation=later,
        reason=f"{said[1].reason}; the first answer was {first}",
        judge=said[1].judge,
        confidence=min(one.confidence for one in said),
    )


def list_own_values(pair: _Pair) -> tuple[str, ...]:
    """Return what the first answer says beyond the words of the question and of any such answer."""
    frame = _FRAME | {word for text in pair.fact.questions for word in split_tokens(text)}
    words = [word for word in split_tokens(pair.first.text) if word not in frame]
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
        if mark.role is LineRole.REFERENCE or key not in first:
            first.setdefault(key, reply)
        elif mark.role is LineRole.QUESTION:
            yield _Pair(first[key], reply, fact)
