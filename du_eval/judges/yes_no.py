"""Whether a reply says yes or no to what was asked: by rules that abstain rather than guess."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from du_eval.judges.lexicon import read_word_set
from du_eval.judges.numerals import tokens_of
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.plain_text import normalise, split_clauses, split_sentences, stems_alike, words_of
from du_eval.judges.scales import compare_words
from du_eval.judges.yes_no_words import (
    DISLIKED,
    FILLER,
    HYPOTHETICAL,
    LIKED,
    NEGATED,
    NO_HEAD,
    TAIL_NO,
    TAIL_YES,
    UNNEGATED,
    UNSURE,
    YES_HEAD,
)

NAME = "yes-no-rules/2"
STOP_WORDS = read_word_set("stop")
_NEGATIVE_QUESTION = re.compile(
    r"^(?:so |and )?(?:don't|doesn't|didn't|isn't|aren't|wasn't|weren't|haven't|hasn't|can't|won't|"
    r"wouldn't)\b"
    r"|\b(?:don't|didn't|haven't|aren't|isn't|can't|never|not)\b|\bне\b|\bразве\b|\bникогда\b"
)
_LIKING = re.compile(
    r"\b(?:like|love|enjoy|prefer|fancy|fond of|into|fan of|keen on|interested in)\b|\bлюб\w+|"
    r"\bнрав\w+|\bобожа\w+"
)
_QUALITY = re.compile(
    r"\b(?:good|nice|great|fun|okay|enjoyable|tasty|delicious|interesting|worth)\b|\b(?:хорош\w+|вкусн\w+|интересн\w+|"
    r"понравил\w+|здорово)\b"
)
_SPEAKER = read_word_set("speaker")


_LISTENER = read_word_set("listener")
_RHETORICAL = re.compile(r"who (?:doesn't|wouldn't)|кто (?:ж |же )?не")
_CONTRAST = re.compile(r"\b(?:but|though|although|however|но|хотя|зато)\b")
_OFFER = re.compile(
    r"^(?:would you like|do you (?:want|need)|can i (?:get|offer|bring)|(?:хотите|хочешь|будете|будешь) )"
)
_DECLINED = re.compile(
    r"^(?:thanks[, ]+|thank you[, ]+)?i(?:'m| am) (?:good|fine|okay|ok|all set|full|alright)\b|"
    r"^я (?:сыт|пас)|^спасибо,? (?:не|я)"
)
_ACCEPTED = re.compile(
    r"\b(?:that|it)(?:'d| would) be (?:great|lovely|nice|wonderful|perfect)\b|\bplease\b|"
    r"\bне откажусь\b|\bпожалуйста\b"
)


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

    name = NAME

    def decide(self, reply: str, question: str = "") -> YesNo:
        """Return what a reply to a question says."""
        found = read_yes_no(question, reply)
        return YesNo(Polarity(found.label or Polarity.UNCLEAR), found.reason)


@dataclass(frozen=True, slots=True)
class _Said:
    """A signal of yes or no, and the words behind it."""

    is_yes: bool
    words: str


def read_yes_no(question: str, reply: str) -> Opinion:
    """Return what a reply says to a question; undecided where no rule is sure."""
    text, asked = normalise(reply), _last_question(normalise(question))
    sentences = split_sentences(text)
    if not sentences:
        return abstain("nothing is said", NAME)
    if words_of(text) == words_of(asked):
        return abstain("repeats the question", NAME)
    unsure = UNSURE.search(text)
    if unsure and (unsure.start() < _end_of_head(text) or not _explicit(sentences, asked)):
        return abstain(f"says '{unsure[0]}'", NAME)
    for confidence, rule in _RULES:
        said = rule(sentences, asked)
        if said is not None:
            label = Polarity.YES if said.is_yes else Polarity.NO
            return Opinion(label, said.words, NAME, confidence)
    return abstain("neither yes nor no is said", NAME)


def _end_of_head(text: str) -> int:
    """Return where the first clause that says anything ends."""
    start = filler.end() if (filler := FILLER.match(text)) else 0
    end = re.search(r"[,.!?;:]", text[start:])
    return start + end.start() if end else len(text)


def _last_question(question: str) -> str:
    """Return the question itself, without what was told before it and without a tag after it."""
    sentences = split_sentences(question)
    asked = next(
        (one for one in reversed(sentences) if one.endswith("?")), sentences[-1] if sentences else ""
    )
    return re.sub(
        r"^(?:hey|hi|hello|so|and|but|oh|by the way|кстати|а|и|ну|слушай|скажи\w*)[\s,]+", "", asked
    )


def _explicit(sentences: list[str], asked: str) -> _Said | None:
    """Return what words such as yes and no say at the head or the tail of clauses; None where they clash."""
    found = _signals(sentences)
    if not found or (asked and len({one.is_yes for one in found}) > 1):
        return None
    if _NEGATIVE_QUESTION.search(asked):
        return _to_negative(found[0], sentences, asked)
    if re.search(r"\bmind\b|\bпротив\b", asked) and found[0].is_yes:
        return None
    return found[0]


def has_both_answers(reply: str, question: str) -> bool:
    """Return whether a reply says yes and no to a question."""
    if UNSURE.search(normalise(reply)) or _NEGATIVE_QUESTION.search(normalise(question)):
        return False
    return len({one.is_yes for one in _signals(split_sentences(normalise(reply)))}) > 1


def _signals(sentences: list[str]) -> list[_Said]:
    found: list[_Said] = []
    is_first = True
    for number, sentence in enumerate(sentences):
        clauses = split_clauses(sentence)
        is_rhetorical = _RHETORICAL.match(FILLER.sub("", sentence))
        if sentence.endswith("?") and (number or len(words_of(sentence)) > 3) and not is_rhetorical:
            clauses = clauses[:-1]
        for clause in clauses:
            said = _head(clause, is_first=is_first)
            is_first = is_first and not words_of(FILLER.sub("", f"{clause} "))
            if said:
                found.append(said)
    return found


def _head(clause: str, *, is_first: bool) -> _Said | None:
    head = FILLER.sub("", clause)
    for pattern, is_yes in ((NO_HEAD, False), (YES_HEAD, True)):
        match = pattern.match(head)
        if match and (is_first or _is_bare(head, match[0])):
            return _Said(is_yes, f"says '{match[0]}'")
    for pattern, is_yes in ((TAIL_NO, False), (TAIL_YES, True)):
        if match := pattern.search(head):
            return _Said(is_yes, f"says '{match[0].strip()}'")
    return None


_BARE = re.compile(
    r"(?:yes+|yeah+|yep|yup|no|nope|nah|да|нет|ага|угу|неа|of course|absolutely|definitely|certainly|"
    r"sure|конечно|"
    r"(?:i|we|he|she|it|they) \w+(?: not|n't)?|never|никогда|not at all|not really|i doubt(?: it)?|no way)\W*"
)


def _is_bare(head: str, said: str) -> bool:
    """Return whether a later clause is an answer by itself and no part of a story."""
    return bool(_BARE.fullmatch(said)) and len(words_of(head)) <= len(words_of(said)) + 3


def _to_negative(said: _Said, sentences: list[str], asked: str) -> _Said | None:
    """Return the answer to a negative question: a statement beside yes or no outweighs it."""
    stated = _by_attitude(sentences, asked) or _by_statement(sentences, asked)
    if stated:
        return stated
    is_russian = bool(re.search(r"[а-я]", asked))
    is_plain = bool(re.match(r"says '(?:да|ага|угу)'", said.words))
    return None if is_russian and is_plain else said


def _by_attitude(sentences: list[str], asked: str) -> _Said | None:
    """Return the answer to a question about liking or quality, by words of praise and dislike."""
    if not (_LIKING.search(asked) or _QUALITY.search(asked)):
        return None
    found: dict[bool, str] = {}
    for sentence in sentences:
        if sentence.endswith("?") or _CONTRAST.search(sentence):
            continue
        for clause in split_clauses(sentence):
            said = _attitude(clause)
            if said:
                found[said.is_yes] = said.words
    return _Said(*next(iter(found.items()))) if len(found) == 1 else None


def _attitude(clause: str) -> _Said | None:
    """Return whether a clause praises or dislikes."""
    if HYPOTHETICAL.search(clause):
        return None
    plain = UNNEGATED.sub(" adore ", clause)
    bad, rest = DISLIKED.search(plain), DISLIKED.sub(" ", plain)
    good = LIKED.search(rest)
    if bool(good) == bool(bad) or (good and NEGATED.search(rest)):
        return None
    match = good or bad
    return _Said(bool(good), f"speaks of it with '{match[0]}'") if match else None


def _by_statement(sentences: list[str], asked: str) -> _Said | None:
    """Return the answer by a statement that repeats what was asked: with a negation no, without one yes."""
    wanted = [word for word in words_of(asked) if word not in STOP_WORDS and len(word) > 2]
    if not wanted:
        return None
    for sentence in sentences:
        if sentence.endswith("?"):
            continue
        for clause in split_clauses(sentence):
            words = words_of(clause)
            shared = [word for word in wanted if any(stems_alike(word, one) for one in words)]
            if not shared or HYPOTHETICAL.search(clause):
                continue
            if not _is_about(clause, asked, shared):
                continue
            plain = UNNEGATED.sub(" ", clause)
            negation = NEGATED.search(plain)
            if negation:
                return _Said(is_yes=False, words=f"states it with '{negation[0].strip()}'")
            if len(shared) >= (len(wanted) if len(wanted) < 4 else len(wanted) - 1):
                return _Said(is_yes=True, words=f"states it: '{clause}'")
    return None


def _by_bare_statement(sentences: list[str], asked: str) -> _Said | None:
    """Return the answer where the question is not known: a statement about the partner, negated or not."""
    first = sentences[0]
    if asked or first.endswith("?") or words_of(first)[0] not in _LISTENER:
        return None
    negation = NEGATED.search(UNNEGATED.sub(" ", first))
    return _Said(negation is None, f"states it with '{negation[0]}'" if negation else "states it")


def _is_about(clause: str, asked: str, shared: list[str]) -> bool:
    """Return whether a clause speaks of whom the question is about, as seen from the other side."""
    words, question = words_of(clause), set(words_of(asked))
    if question & _LISTENER:
        return bool(set(words[:3]) & _SPEAKER) or _is_russian_first_person(words, shared)
    if question & _SPEAKER:
        return bool(set(words) & _LISTENER) or not set(words) & _SPEAKER
    return words[0] not in {"i", "я"}


def _is_russian_first_person(words: list[str], shared: list[str]) -> bool:
    return any(
        re.search(r"(?:ю|у|юсь|усь|л|ла|лся|лась|ем|им|м)$", one)
        and any(stems_alike(one, word) for word in shared)
        for one in words
    )


def _by_value(sentences: list[str], asked: str) -> _Said | None:
    """Return the answer by a word that excludes or implies one of the question: another colour is a no."""
    wanted = [word for word in words_of(asked) if len(word) > 2]
    for sentence in sentences:
        if sentence.endswith("?"):
            continue
        for clause in split_clauses(sentence):
            found = compare_words(wanted, words_of(clause))
            if found is None or HYPOTHETICAL.search(clause) or re.search(r"\b(?:than|as)\b", clause):
                continue
            negated = bool(NEGATED.search(UNNEGATED.sub(" ", clause)))
            asked_word, said_word, agrees = found
            if negated and not agrees:
                continue
            return _Said(agrees != negated, f"says '{said_word}' where '{asked_word}' was asked")
    return None


def _by_offer(sentences: list[str], asked: str) -> _Said | None:
    """Return the answer to an offer, which is taken or declined in words of its own."""
    if not _OFFER.match(asked):
        return None
    for pattern, is_yes in ((_DECLINED, False), (_ACCEPTED, True)):
        if found := pattern.search(FILLER.sub("", sentences[0])):
            return _Said(is_yes, f"says '{found[0]}' to an offer")
    return None


def _by_denial(sentences: list[str], asked: str) -> _Said | None:
    """Return no where what was asked is named with a not before it: "German, not French"."""
    for word in words_of(asked):
        if word in STOP_WORDS or len(word) < 3:
            continue
        between = r"(?: a| an| the| in| from| on| в| из| на)?"
        pattern = rf"(?<!why )(?<!not )\b(?:not|anything but|не){between} {re.escape(word)}\b"
        if found := re.search(pattern, " ".join(one for one in sentences if not one.endswith("?"))):
            return _Said(is_yes=False, words=f"says '{found[0]}'")
    return None


_PLACE = re.compile(r"\b(from|in|at|of|из|в|во|на|с) (?:the )?([^\W\d_]{3,})")
_NUMBER = re.compile(r"\b(\d+) ([^\W\d_]{3,})")


def _by_other_value(sentences: list[str], asked: str) -> _Said | None:
    """Return no where another place or number stands where the question has one: "from Spain" for Italy."""
    told = " ".join(one for one in sentences if not one.endswith("?"))
    if NEGATED.search(told) or HYPOTHETICAL.search(told):
        return None
    for word, value in _PLACE.findall(asked):
        said = [other for same, other in _PLACE.findall(told) if same == word]
        if word in {"from", "из"} and said and not any(stems_alike(value, one) for one in words_of(told)):
            return _Said(is_yes=False, words=f"says '{word} {said[0]}' where '{word} {value}' was asked")
    for number, thing in _NUMBER.findall(" ".join(tokens_of(asked))):
        for other, same in _NUMBER.findall(" ".join(tokens_of(told))):
            if stems_alike(thing, same) and other != number:
                return _Said(is_yes=False, words=f"says '{other} {same}' where '{number} {thing}' was asked")
    return None


_RULES = (
    (0.85, _by_offer),
    (0.95, _explicit),
    (0.9, _by_denial),
    (0.85, _by_attitude),
    (0.85, _by_statement),
    (0.85, _by_value),
    (0.8, _by_other_value),
    (0.7, _by_bare_statement),
)
