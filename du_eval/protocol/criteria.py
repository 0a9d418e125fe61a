"""The eight criteria: what words decide at once, and what is left to a judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.chatters.replies import Exchange, ReplyStatus
from du_eval.judges.abstentions import is_abstention
from du_eval.judges.judge import Judge
from du_eval.judges.opinion import Opinion
from du_eval.judges.plain_text import normalise
from du_eval.judges.protocol_rules import OK, CriterionTask, read_criterion
from du_eval.judges.rules import RulesJudge
from du_eval.judges.similarity import SimilarityJudge
from du_eval.judges.tasks import Role
from du_eval.protocol.model import Criterion, Protocol
from du_eval.protocol.plan import FAREWELL, GREETING, TOPIC, Utterance
from du_eval.runs.outcome import Outcome

RULES = "protocol-words/1"
_SAME = 0.85
_SHORT = 3
_STEM = "*"
_EXPLAINED = 4
"""This many words make an explanation of a reply that is neither yes nor no."""
_SURE, _LIKELY = 0.95, 0.75
_ROLES = {
    Criterion.OPEN: "open_question",
    Criterion.CLOSED: "closed_question",
    Criterion.DIALOG: "dialog_supporting",
    Criterion.EMOTION: "emotion_supporting",
    Criterion.TOPIC: "topic_switch",
}
"""What judges call the criteria that they decide."""
_MOST_TIMES = {Criterion.OPEN: 2}
"""How often a reply may have been said before and still meet a criterion; never, unless listed here."""


class Spoken(Exchange, frozen=True, kw_only=True):
    """An utterance of the tester, and the reply to it."""

    utterance: Utterance

    @property
    def answered(self) -> bool:
        """Whether there was a reply."""
        return self.outcome is ReplyStatus.ANSWERED


class ProtocolDialogue(Struct, frozen=True):
    """A dialogue as far as it was held."""

    number: int
    name: str
    spoken: tuple[Spoken, ...]
    is_whole: bool = True
    """Whether it came to its end: false where it was interrupted, or the bot was gone."""


class CriterionRuling(Struct, frozen=True, omit_defaults=True):
    """One decision with all that led to it."""

    dialogue: int
    turn: int
    criterion: Criterion
    utterance: str
    reply: str
    outcome: Outcome
    reason: str
    judge: str
    score: float | None = None
    threshold: float | None = None
    saw: str = ""
    """What the judge looked at besides the utterance and the reply."""
    confidence: float | None = None


class Pending(Struct, frozen=True):
    """A decision for a judge, and the word that speaks for a reply where the judge cannot tell."""

    judged: CriterionRuling
    task: CriterionTask
    word: str = ""

    def decide(self, opinion: Opinion) -> CriterionRuling:
        """Return the decision."""
        if opinion.label is not None:
            outcome = Outcome.PASSED if opinion.label == OK else Outcome.FAILED
            return replace(
                self.judged, outcome=outcome, reason=opinion.reason, judge=opinion.judge,
                confidence=opinion.confidence,
            )  # fmt: skip
        if self.word:
            reason = f"on topic: '{self.word}'"
            return replace(self.judged, outcome=Outcome.PASSED, reason=reason, confidence=_LIKELY)
        return replace(self.judged, reason=opinion.reason, judge=opinion.judge)


class Reading(Struct, frozen=True):
    """What replies are read with."""

    protocol: Protocol
    similarity: SimilarityJudge
    judge: Judge = field(default_factory=lambda: RulesJudge(Role.PROTOCOL))
    """Decides the criteria of single replies."""


def judge_all(dialogues: Sequence[ProtocolDialogue], reading: Reading) -> list[CriterionRuling]:
    """Return every decision; the judge gets all that it has to decide at once."""
    found = [item for one in dialogues for item in judge_dialogue(one.number, one.name, one.spoken, reading)]
    opinions = iter(reading.judge.judge([item.task for item in found if isinstance(item, Pending)]))
    return [item.decide(next(opinions)) if isinstance(item, Pending) else item for item in found]


def judge_dialogue(
    number: int, name: str, spoken: Sequence[Spoken], reading: Reading
) -> list[CriterionRuling | Pending]:
    """Return every decision about a dialogue, or what a judge has to decide; switches are counted apart."""
    found: list[CriterionRuling | Pending] = []
    said: dict[str, set[str]] = {}
    for turn, one in enumerate(spoken):
        found.extend(
            _judge_reply(_open(number, turn, criterion, one), one, reading, said)
            for criterion in _BY_BLOCK.get(one.utterance.block, ())
        )
        said.setdefault(normalise(one.reply), set()).add(one.utterance.text)
    if any(one.utterance.block == GREETING for one in spoken):
        found.append(_name(number, name, spoken, reading))
    found.extend(_repeats(number, spoken, reading))
    return found


def _judge_reply(
    blank: CriterionRuling, one: Spoken, reading: Reading, said: Mapping[str, AbstractSet[str]]
) -> CriterionRuling | Pending:
    """Return what words decide about a reply, else what a judge has to."""
    if not one.answered:
        return replace(blank, reason="no reply")
    if blank.criterion is Criterion.HELLO_BYE:
        return _greet(blank, one, reading.protocol)
    times = len(said.get(normalise(one.reply), set()) - {one.utterance.text})
    if times > _MOST_TIMES.get(blank.criterion, 0) and blank.criterion is not Criterion.CLOSED:
        reason = f"was said before, in reply to something else ({times} times)"
        return replace(blank, outcome=Outcome.FAILED, reason=reason, confidence=_SURE)
    return _decide_by_words(blank, one, reading.protocol)


def _decide_by_words(blank: CriterionRuling, one: Spoken, protocol: Protocol) -> CriterionRuling | Pending:
    word, persona = "", ""
    if blank.criterion in {Criterion.OPEN, Criterion.CLOSED} and is_abstention(one.reply):
        reason = "does not know its own persona"
        return replace(blank, outcome=Outcome.FAILED, reason=reason, confidence=_SURE)
    if blank.criterion is Criterion.TOPIC:
        word = _topic_word(one, protocol)
        if word:
            reason = f"on {one.utterance.topic}: '{word}'"
            return replace(blank, outcome=Outcome.PASSED, reason=reason, confidence=_SURE)
    elif blank.criterion is Criterion.OPEN and one.utterance.text in protocol.persona.open:
        fact = protocol.persona.open[one.utterance.text]
        against = has_word(one.reply, fact.contradicts)
        if against:
            reason = f"'{against}' contradicts the persona"
            return replace(blank, outcome=Outcome.FAILED, reason=reason, saw=fact.says, confidence=_SURE)
        word, persona = has_word(one.reply, fact.topic), fact.says
    elif blank.criterion is Criterion.CLOSED:
        right = protocol.persona.closed.get(one.utterance.text)
        persona = f"{protocol.answers[right]}." if right else ""
        word = has_word(one.reply, protocol.neither_words) if len(one.reply.split()) >= _EXPLAINED else ""
    task = CriterionTask(_ROLES[blank.criterion], one.utterance.text, one.reply, persona)
    return Pending(replace(blank, saw=persona), task, word)


def _open(number: int, turn: int, criterion: Criterion, one: Spoken) -> CriterionRuling:
    """Return a decision that is still to be made."""
    text = one.utterance.text
    return CriterionRuling(number, turn, criterion, text, one.reply, Outcome.UNDECIDED, "", RULES)


def _outcome(*, passed: bool) -> Outcome:
    return Outcome.PASSED if passed else Outcome.FAILED


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


def _name(number: int, name: str, spoken: Sequence[Spoken], reading: Reading) -> CriterionRuling:
    """Decide whether the bot uses the name later than in its reply to the greeting that tells it."""
    forms = reading.protocol.names[name]
    later = "\n".join(one.reply for one in spoken[1:] if one.reply)
    for turn, one in enumerate(spoken):
        used = has_word(one.reply, forms)
        if turn > 0 and used:
            blank, reason = _open(number, turn, Criterion.NAME, one), f"says '{used}' in turn {turn + 1}"
            return replace(blank, outcome=Outcome.PASSED, reason=reason, saw=later)
    blank = _open(number, len(spoken) - 1, Criterion.NAME, spoken[-1])
    if not any(one.answered for one in spoken[1:]):
        return replace(blank, reason="no reply after the greeting")
    reason = f"never says '{name}' after the greeting"
    return replace(blank, outcome=Outcome.FAILED, reason=reason, saw=later)


def _greet(blank: CriterionRuling, one: Spoken, protocol: Protocol) -> CriterionRuling:
    is_hello = one.utterance.block == GREETING
    word = has_word(one.reply, protocol.hello_words if is_hello else protocol.bye_words)
    missing = "no greeting" if is_hello else "no farewell"
    reason = f"says '{word}'" if word else missing
    return replace(blank, outcome=_outcome(passed=bool(word)), reason=reason)


def _repeats(number: int, spoken: Sequence[Spoken], reading: Reading) -> Iterator[CriterionRuling]:
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
        yield replace(
            _open(number, turn, Criterion.REPEATING, one), outcome=_outcome(passed=score < _SAME),
            reason=reason, score=score, threshold=_SAME, judge=reading.similarity.name, saw=closest,
        )  # fmt: skip


def _is_plain_yes_or_no(one: Spoken) -> bool:
    """Return whether a reply is a short yes or no to a closed question: that may recur."""
    return one.utterance.block == "closed" and len(one.reply.split()) <= _SHORT


def _likeness(one: str, other: str, known: Mapping[tuple[str, str], float]) -> float:
    return 1.0 if one == other else known[one, other]


def measure_switches(spoken: Sequence[Spoken], is_on_topic: Callable[[int], bool]) -> dict[int, int | None]:
    """Return for each topic switch how many utterances it took until a reply was on topic; None for never.

    Utterances without a reply say nothing about it, and a switch without any reply is not among them.
    """
    found: dict[int, int | None] = {}
    tries: dict[int, int] = {}
    for turn, one in enumerate(spoken):
        switch = one.utterance.switch
        if not switch or not one.answered or found.get(switch) is not None:
            continue
        tries[switch] = tries.get(switch, 0) + 1
        found[switch] = tries[switch] if is_on_topic(turn) else None
    return {switch: found[switch] for switch in sorted(found)}


def is_on_topic(one: Spoken, protocol: Protocol) -> bool:
    """Tell, by words alone, whether the tester need not try on: a reply is on the topic."""
    if _topic_word(one, protocol):
        return True
    task = CriterionTask(_ROLES[Criterion.TOPIC], one.utterance.text, one.reply)
    return read_criterion(task).label == OK


def _topic_word(one: Spoken, protocol: Protocol) -> str:
    """Return the word by which a reply is on the topic; an echo is not."""
    if normalise(one.reply) == normalise(one.utterance.text):
        return ""
    return has_word(one.reply, protocol.topics[one.utterance.topic])


_BY_BLOCK: Mapping[str, tuple[Criterion, ...]] = {
    GREETING: (Criterion.HELLO_BYE,),
    FAREWELL: (Criterion.HELLO_BYE,),
    "open": (Criterion.OPEN,),
    "closed": (Criterion.CLOSED,),
    "general": (Criterion.DIALOG,),
    "support": (Criterion.DIALOG,),
    "emotion": (Criterion.EMOTION,),
    TOPIC: (Criterion.TOPIC,),
}
