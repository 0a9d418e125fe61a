"""The eight criteria: how each reply of a protocol dialogue is judged without a person."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from du_eval.judges.plain_text import normalise
from du_eval.judges.protocol_rules import OK, CriterionTask, read_criterion
from du_eval.judges.similarity import SimilarityJudge
from du_eval.judges.yes_no import Polarity, YesNoJudge
from du_eval.protocol.model import Criterion, Protocol
from du_eval.protocol.plan import FAREWELL, GREETING, TOPIC, Utterance

RULES = "protocol-rules/2"
_SAME = 0.85
_SHORT = 3
_STEM = "*"
_EXPLAINED = 4
"""So many words make an explanation of a reply that is neither yes nor no."""


class Ruling(StrEnum):
    """What was decided about a reply."""

    PASSED = "passed"
    FAILED = "failed"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Spoken:
    """An utterance of the tester and the reply to it; `answered` is false where there was none."""

    utterance: Utterance
    reply: str
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Judged:
    """One decision with all that led to it."""

    dialogue: int
    turn: int
    criterion: Criterion
    utterance: str
    reply: str
    ruling: Ruling
    reason: str
    judge: str
    score: float | None = None
    threshold: float | None = None
    saw: str = ""
    """What the judge looked at besides the utterance and the reply."""


@dataclass(frozen=True)
class Reading:
    """What replies are read with."""

    protocol: Protocol
    similarity: SimilarityJudge
    yes_no: YesNoJudge


@dataclass(frozen=True, slots=True)
class _Found:
    ruling: Ruling
    reason: str
    score: float | None = None
    threshold: float | None = None
    judge: str = RULES
    saw: str = ""


_Judge = Callable[[Spoken, Reading], _Found]


def judge_dialogue(number: int, name: str, spoken: Sequence[Spoken], reading: Reading) -> list[Judged]:
    """Return every decision about a dialogue; how long topic switches took is counted apart."""
    found: list[Judged] = []
    for turn, one in enumerate(spoken):
        for criterion, judge in _BY_BLOCK.get(one.utterance.block, ()):
            result = judge(one, reading) if one.answered else _Found(Ruling.UNCLEAR, "no reply")
            found.append(_judged(number, turn, criterion, one, result))
    if any(one.utterance.block == GREETING for one in spoken):
        found.append(_name(number, name, spoken, reading))
    found.extend(_repeats(number, spoken, reading))
    return found


def _judged(number: int, turn: int, criterion: Criterion, one: Spoken, found: _Found) -> Judged:
    return Judged(
        number, turn, criterion, one.utterance.text, one.reply, found.ruling, found.reason, found.judge,
        found.score, found.threshold, found.saw,
    )  # fmt: skip


def _ruling(*, passed: bool) -> Ruling:
    return Ruling.PASSED if passed else Ruling.FAILED


def has_word(text: str, words: Sequence[str]) -> str:
    """Return the first of the words that a text has; `swim*` stands for all words that begin so."""
    folded = normalise(text)
    for word in words:
        found = re.search(_pattern(word), folded)
        if found:
            return found[0] if word.endswith(_STEM) else word
    return ""


@cache
def _pattern(word: str) -> str:
    stem = normalise(word.removesuffix(_STEM))
    return rf"\b{re.escape(stem)}" + (r"\w*" if word.endswith(_STEM) else r"\b")


def _name(number: int, name: str, spoken: Sequence[Spoken], reading: Reading) -> Judged:
    """Decide whether the bot uses the name later than in its reply to the greeting that tells it."""
    forms = reading.protocol.names[name]
    later = "\n".join(one.reply for one in spoken[1:] if one.reply)
    for turn, one in enumerate(spoken):
        used = has_word(one.reply, forms)
        if turn > 0 and used:
            result = _Found(Ruling.PASSED, f"says '{used}' in turn {turn + 1}", saw=later)
            return _judged(number, turn, Criterion.NAME, one, result)
    if any(one.answered for one in spoken[1:]):
        result = _Found(Ruling.FAILED, f"never says '{name}' after the greeting", saw=later)
    else:
        result = _Found(Ruling.UNCLEAR, "no reply after the greeting")
    return _judged(number, len(spoken) - 1, Criterion.NAME, spoken[-1], result)


def _hello(one: Spoken, reading: Reading) -> _Found:
    word = has_word(one.reply, reading.protocol.hello_words)
    return _Found(_ruling(passed=bool(word)), f"says '{word}'" if word else "no greeting")


def _bye(one: Spoken, reading: Reading) -> _Found:
    word = has_word(one.reply, reading.protocol.bye_words)
    return _Found(_ruling(passed=bool(word)), f"says '{word}'" if word else "no farewell")


def _is_question_only(reply: str) -> bool:
    sentences = [part.strip() for part in re.findall(r"[^.!?]+[.!?]*", reply) if re.search(r"\w", part)]
    return bool(sentences) and all(part.endswith("?") for part in sentences)


def _open(one: Spoken, reading: Reading) -> _Found:
    fact = reading.protocol.open.get(one.utterance.text)
    if _is_question_only(one.reply):
        return _Found(Ruling.FAILED, "only asks back")
    if normalise(one.reply) == normalise(one.utterance.text):
        return _Found(Ruling.FAILED, "echoes the question")
    if fact is None:
        return _Found(Ruling.UNCLEAR, "the persona file says nothing about this question")
    against = has_word(one.reply, fact.contradicts)
    if against:
        return _Found(Ruling.FAILED, f"'{against}' contradicts the persona", saw=fact.says)
    word = has_word(one.reply, fact.topic)
    reason = f"on topic: '{word}'" if word else "off topic"
    return _Found(_ruling(passed=bool(word)), reason, saw=fact.says)


def _closed(one: Spoken, reading: Reading) -> _Found:
    said = reading.yes_no.decide(one.reply, one.utterance.text)
    right = reading.protocol.closed.get(one.utterance.text)
    if said.polarity is Polarity.UNCLEAR:
        neither = has_word(one.reply, reading.protocol.neither_words)
        explained = bool(neither) and len(one.reply.split()) >= _EXPLAINED
        reason = f"explains why neither: '{neither}'" if explained else said.reason
        return _Found(_ruling(passed=explained), reason, judge=reading.yes_no.name)
    agrees = right is None or said.polarity == right
    reason = f"{said.reason}; the persona says {right or 'nothing'}"
    return _Found(_ruling(passed=agrees), reason, judge=reading.yes_no.name, saw=f"persona: {right}")


def _supporting(one: Spoken, reading: Reading) -> _Found:
    del reading
    return _opinion("dialog_supporting", one)


def _emotion(one: Spoken, reading: Reading) -> _Found:
    del reading
    return _opinion("emotion_supporting", one)


def _opinion(criterion: str, one: Spoken) -> _Found:
    """Return what the offline rules say; unclear where they cannot tell."""
    found = read_criterion(CriterionTask(criterion, one.utterance.text, one.reply))
    ruling = Ruling.UNCLEAR if found.label is None else _ruling(passed=found.label == OK)
    return _Found(ruling, found.reason, judge=found.judge)


def _repeats(number: int, spoken: Sequence[Spoken], reading: Reading) -> Iterator[Judged]:
    """Yield, for each reply, whether it repeats an earlier one without a reason in the dialogue."""
    said = [normalise(one.reply) for one in spoken]
    pairs = [(said[old], said[turn]) for turn in range(len(said)) for old in range(turn)]
    different = sorted(set(pairs))
    likeness = dict(zip(different, reading.similarity.scores(different), strict=True))
    for turn, one in enumerate(spoken):
        if not one.answered or _is_plain_yes_or_no(one):
            continue
        asked = normalise(one.utterance.text)
        earlier = [old for old in range(turn) if normalise(spoken[old].utterance.text) != asked]
        best = max(earlier, key=lambda old: _likeness(said[old], said[turn], likeness), default=None)
        score = _likeness(said[best], said[turn], likeness) if best is not None else 0.0
        closest = spoken[best].reply if best is not None else ""
        reason = f"like '{closest}'" if score >= _SAME else "new"
        ruling = _ruling(passed=score < _SAME)
        result = _Found(ruling, reason, score, _SAME, reading.similarity.name, closest)
        yield _judged(number, turn, Criterion.REPEATING, one, result)


def _is_plain_yes_or_no(one: Spoken) -> bool:
    """Return whether a reply is a short yes or no to a closed question: that may recur."""
    return one.utterance.block == "closed" and len(one.reply.split()) <= _SHORT


def _likeness(one: str, other: str, known: Mapping[tuple[str, str], float]) -> float:
    return 1.0 if one == other else known[one, other]


def switch_lengths(spoken: Sequence[Spoken], protocol: Protocol) -> dict[int, int | None]:
    """Return for each topic switch how many utterances it took until a reply was on topic; None for never.

    Utterances without a reply say nothing about it, and a switch without any reply is not among them.
    """
    found: dict[int, int | None] = {}
    tries: dict[int, int] = {}
    for one in spoken:
        switch = one.utterance.switch
        if not switch or not one.answered or found.get(switch) is not None:
            continue
        tries[switch] = tries.get(switch, 0) + 1
        found[switch] = tries[switch] if _topic_word(one, protocol) else None
    return {switch: found[switch] for switch in sorted(found)}


def _topic_word(one: Spoken, protocol: Protocol) -> str:
    """Return the word by which a reply is on the topic; an echo is not."""
    if normalise(one.reply) == normalise(one.utterance.text):
        return ""
    return has_word(one.reply, protocol.topics[one.utterance.topic])


def _topic(one: Spoken, reading: Reading) -> _Found:
    word = _topic_word(one, reading.protocol)
    reason = f"on {one.utterance.topic}: '{word}'" if word else f"not on {one.utterance.topic}"
    return _Found(_ruling(passed=bool(word)), reason)


_BY_BLOCK: Mapping[str, tuple[tuple[Criterion, _Judge], ...]] = {
    GREETING: ((Criterion.HELLO_BYE, _hello),),
    FAREWELL: ((Criterion.HELLO_BYE, _bye),),
    "open": ((Criterion.OPEN, _open),),
    "closed": ((Criterion.CLOSED, _closed),),
    "general": ((Criterion.DIALOG, _supporting),),
    "support": ((Criterion.DIALOG, _supporting),),
    "emotion": ((Criterion.EMOTION, _emotion),),
    TOPIC: ((Criterion.TOPIC, _topic),),
}
