"""Whether a reply says yes or no, or neither clearly enough: by rules that know negation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from du_eval.judges.yes_no_words import (
    LEADING_NO,
    LEADING_YES,
    NEGATED,
    NEUTRAL,
    PRO_VERBS,
    TAIL_NO,
    TAIL_YES,
    UNCERTAIN,
    UNNEGATED,
)

_APOSTROPHES = str.maketrans({"’": "'", "`": "'", "ʼ": "'", "ё": "е"})
_SPLIT_NOT = re.compile(r"\b(\w+?)\s+n\s*'\s*t\b|\b(\w+n)\s*'\s*t\b")
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;]*")
_WORD = re.compile(r"[\w']+")
_FILLER = re.compile(
    r"^(?:(?:well|oh|hmm+|um+|uh|ah|so|hey|honestly|actually|look|haha|ha|ну|ой|ах|эх|хм+|слушай|вообще|"
    r"but|and|okay|ok|thanks|thank you)\b[\s,.!…-]*)+"
)
_STOP = frozenset({
    "a", "an", "the", "do", "does", "did", "is", "are", "was", "were", "am", "be", "been", "have", "has",
    "had", "can", "could", "will", "would", "should", "may", "might", "to", "of", "in", "on", "at",
    "for", "with", "and", "or", "but", "that", "this", "it", "its", "there", "any", "some", "very",
    "really", "just", "still", "also", "too", "now", "today", "what", "not", "no", "и", "а", "но", "в",
    "на", "с", "к", "у", "из", "ли", "же", "бы", "то", "это", "вот", "там", "тут", "так",
})  # fmt: skip
_ECHO = 0.7
_USER = frozenset(
    {"i", "my", "me", "mine", "we", "our", "я", "мой", "моя", "мое", "мои", "меня", "мне", "мы"}
)
_OTHER = frozenset(
    {"you", "your", "yours", "ты", "вы", "твой", "твоя", "твое", "твои", "тебя", "тебе", "вас"}
)

_ATTITUDES = {
    **dict.fromkeys(("love", "enjoy", "adore", "likes", "loves", "enjoys"), "like"),
    "обожаю": "люблю",
}


class Polarity(StrEnum):
    """What a reply to a closed question says."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class YesNo:
    """A polarity and the words or the rule behind it."""

    polarity: Polarity
    reason: str


class YesNoJudge(Protocol):
    """Reads replies to closed questions."""

    @property
    def name(self) -> str:
        """How results name it."""
        ...

    def decide(self, reply: str, question: str = "") -> YesNo:
        """Return what a reply to a question says."""
        ...


class RuleYesNo:
    """Knows the usual words and negations of English and Russian; says `unclear` rather than guess."""

    name = "yes-no-rules/1"

    def decide(self, reply: str, question: str = "") -> YesNo:
        """Return what a reply to a question says."""
        text = normalised(reply)
        if not _WORD.search(text):
            return YesNo(Polarity.UNCLEAR, "nothing is said")
        sentences = [found.strip() for found in _SENTENCE.findall(text) if _WORD.search(found)]
        for sentence in sentences:
            found = _by_words(sentence)
            if found is not None:
                return found
        for sentence in sentences:
            found = _by_statement(sentence, normalised(question))
            if found is not None:
                return found
        return YesNo(Polarity.UNCLEAR, "neither yes nor no is said")


def normalised(text: str) -> str:
    """Return a text in small letters, with one spelling of apostrophes and of n't."""
    folded = text.casefold().translate(_APOSTROPHES)
    joined = _SPLIT_NOT.sub(lambda found: f"{(found[1] or found[2][:-1])}n't", folded)
    return re.sub(r"\s+", " ", joined).strip()


def _by_words(sentence: str) -> YesNo | None:
    """Decide by the words that stand at the head of a sentence, or that say that nobody knows."""
    head = _FILLER.sub("", sentence)
    if found := NEUTRAL.search(head):
        return YesNo(Polarity.UNCLEAR, f"says '{found[0]}'")
    if found := LEADING_NO.match(head):
        return YesNo(Polarity.NO, f"says '{found[0]}'")
    if found := LEADING_YES.match(head):
        return YesNo(Polarity.YES, f"says '{found[0]}'")
    if TAIL_NO.search(head):
        return YesNo(Polarity.NO, "ends with no")
    if TAIL_YES.search(head):
        return YesNo(Polarity.YES, "ends with yes")
    if found := UNCERTAIN.search(head):
        return YesNo(Polarity.UNCLEAR, f"says '{found[0]}'")
    return None


def _by_statement(sentence: str, question: str) -> YesNo | None:
    """Decide by a statement on what was asked: with a negation no, without one yes."""
    if sentence.endswith("?") or _is_echo(sentence, question):
        return None
    if not _is_about(sentence, question):
        return None
    negated = NEGATED.search(UNNEGATED.sub(" ", sentence))
    if negated:
        return YesNo(Polarity.NO, f"states it with '{negated[0].strip()}'")
    return YesNo(Polarity.YES, "states it without a negation")


def _is_about(sentence: str, question: str) -> bool:
    words = _WORD.findall(sentence)
    if not question:
        return bool(set(words[:3]) & _OTHER)
    asked = _WORD.findall(question)
    if PRO_VERBS.match(sentence):
        return True
    if not _persons_fit(asked, words):
        return False
    return _overlap(asked, words) > 0


def _is_echo(sentence: str, question: str) -> bool:
    """Return whether a sentence only repeats a statement that came with the question."""
    said = set(_WORD.findall(sentence)) - _USER - _OTHER
    for told in _SENTENCE.findall(question):
        words = set(_WORD.findall(told)) - _USER - _OTHER
        if words and not told.rstrip().endswith("?") and len(said & words) >= _ECHO * len(said | words):
            return True
    return False


def _persons_fit(asked: list[str], words: list[str]) -> bool:
    """Return whether a reply speaks of the person that was asked about, as seen from the other side."""
    about_user, about_bot = bool(set(asked) & _USER), bool(set(asked) & _OTHER)
    says_user, says_bot = bool(set(words) & _OTHER), bool(set(words) & _USER)
    if about_user and not about_bot:
        return says_user or not says_bot
    if about_bot and not about_user:
        return says_bot or not says_user
    return True


def _overlap(asked: list[str], words: list[str]) -> int:
    """Return how many content words two sentences share, endings and a few synonyms aside."""
    persons = _STOP | _USER | _OTHER
    said = [_ATTITUDES.get(word, word) for word in words if word not in persons]
    wanted = [_ATTITUDES.get(word, word) for word in asked if word not in persons]
    return sum(any(_alike(one, other) for other in said) for one in wanted)


def _alike(one: str, other: str) -> bool:
    shortest = min(len(one), len(other))
    same = next((n for n in range(shortest) if one[n] != other[n]), shortest)
    return one == other or same >= max(3, shortest - 2)
