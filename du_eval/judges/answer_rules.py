"""Whether a reply gives an expected answer: by rules on values, negations and competing values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from du_eval.judges.abstentions import is_abstention, is_question_back
from du_eval.judges.clock import read_times
from du_eval.judges.lexicon import read_word_set
from du_eval.judges.numerals import split_tokens
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.plain_text import normalise, split_sentences, stems_alike
from du_eval.judges.scales import is_same_kind
from du_eval.judges.values import (
    find_head,
    find_nearly_alike,
    find_places,
    goes_on,
    is_name,
    is_number,
    is_same_word,
    leaves_out,
    list_content,
    read_dates,
    read_words,
    shares_word,
)

NAME = "answer-rules/7"
RIGHT, WRONG = "right", "wrong"
_SHORT = 3
_NEGATORS = read_word_set("negators")
_PIVOTS = frozenset(["but", "it's", "its", "so", "is", "а", "это"])
_PAST = read_word_set("past")
_ALTERNATIVE = frozenset(["or", "either", "или", "либо", "ли"])
_CLAUSE = re.compile(
    r"[,!?;\n()]|[.:](?!\d)| - |\b(?:(?<!hundred )(?<!thousand )and|but|while|whereas|и|а|но)\b"
)
_NO_DENIAL = re.compile(
    r"(?:(?:^|[,.:] )(?:\w+ )?(?:wasn't|isn't|aren't|weren't|didn't|don't|doesn't|haven't) (?:it|that|"
    r"this|you|he|she|they|your)\b(?=.*\?[^\w?]*$))|\bне (?=\w+ ли\b)|\bразве (?:это |ты )?не\b|"
    r"\b(?:no (?:fewer|less|more) than|not only|no doubt|not to mention|no problem|не только)\b"
)


class AnswerTask(Struct, frozen=True):
    """A reply, what it must say, and what it must not say instead."""

    reply: str
    accepted: tuple[str, ...]
    rejected: tuple[str, ...] = ()
    """Values of the same kind that would be wrong: of competing entities, or outdated."""
    question: str = ""
    told: str = ""
    """What was told before, from which the answer follows; its other names and numbers compete."""


class _Mention(Struct, frozen=True):
    """A value that a reply names: where, and whether it is denied or one of several."""

    value: str
    clause: int
    denied: bool
    offered: bool


def read_answer(task: AnswerTask) -> Opinion:
    """Return whether a reply gives the answer; undecided where no rule is sure."""
    sentences = _answering(task)
    clauses = _split(sentences, task.accepted)
    if not clauses:
        return Opinion(WRONG, "says nothing of its own", NAME, 0.95)
    if (timed := _compare_times(task) or _compare_dates(task)) is not None:
        return timed
    if _is_swapped(task, clauses):
        return Opinion(WRONG, "says it about something else", NAME, 0.85)
    right = [one for value in task.accepted for one in _mentions(value, clauses)]
    values = dict.fromkeys((*_competing(task), *_same_kind(task, clauses)))
    wrong = [one for value in values for one in _mentions(value, clauses) if not _is_past(one, clauses)]
    return _weigh(task, clauses, right, wrong) or _without_value(task, clauses)


def _compare_times(task: AnswerTask) -> Opinion | None:
    """Decide where the answer is a time of the day and the reply names one, in whatever spelling."""
    wanted = [time for value in task.accepted for time in read_times(value)]
    said = read_times(task.reply)
    days = [word for value in task.accepted for word in list_content(value) if is_same_kind(word, "monday")]
    if not wanted or not said or days:
        return None
    if any(one.fits(time) for one in said for time in wanted):
        return Opinion(RIGHT, "names the time", NAME, 0.9)
    return Opinion(WRONG, "names another time", NAME, 0.9)


def _compare_dates(task: AnswerTask) -> Opinion | None:
    """Decide where the answer is a day of a month and the reply names one, in whatever spelling."""
    wanted = {date for value in task.accepted for date in read_dates(value)}
    said = read_dates(task.reply)
    if not wanted or not said or len(said) > 2:
        return None
    if wanted & said:
        return Opinion(RIGHT, "names the date", NAME, 0.9)
    return Opinion(WRONG, "names another date", NAME, 0.9)


def _compare_codes(task: AnswerTask) -> Opinion | None:
    """Decide where the answer is a code that is written in another way: "H-X 204", or digit by digit."""
    reply = re.sub(r"[\W_]", "", task.reply.casefold())
    digits = "".join(word for word in split_tokens(normalise(task.reply)) if word.isdigit())
    for value in task.accepted:
        code = re.sub(r"[\W_]", "", value.casefold())
        is_code = re.search(r"\d", code) and re.search(r"[a-zа-я]", code) and " " not in value.strip()
        if (is_code and code in reply) or (code.isdigit() and len(code) > _SHORT and code == digits):
            return Opinion(RIGHT, f"says '{value}'", NAME, 0.85)
    return None


def _is_swapped(task: AnswerTask, clauses: Sequence[Sequence[str]]) -> bool:
    """Return whether the reply gives each of two told things what was told of the other."""
    told = [list_content(" ".join(words)) for words in _split(split_sentences(task.told), task.accepted)]
    values = [word for value in task.accepted for word in list_content(value)]
    here = {word for words in told if shares_word(words, values) for word in words}
    here = {word for word in here if not shares_word([word], values)}
    there = {word for words in told if not shares_word(words, values) for word in words}
    here, there = here - there, there - here
    said = [words for words in clauses if shares_word(words, values)]
    others = [words for words in clauses if not shares_word(words, values)]
    return any(
        _only_in(here, other, one)
        and shares_word(other, there)
        and (_only_in(there, one, other) or not shares_word(one, here))
        for one in said
        for other in others
    )


def _only_in(told: Iterable[str], one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether one clause has a told word that the other has not."""
    return any(shares_word([word], one) and not shares_word([word], other) for word in told)


def _split(sentences: Sequence[str], values: Sequence[str]) -> list[list[str]]:
    """Return the words of each clause; a value with an "and" in it is kept together."""
    joined = [one for one in values if _CLAUSE.search(normalise(one))]
    parts: list[str] = []
    for sentence in sentences:
        plain = _NO_DENIAL.sub(" ", normalise(sentence))
        parts += re.split(r"[!?;\n]", plain) if joined else _CLAUSE.split(plain)
    return [words for words in map(read_words, parts) if words]


def _answering(task: AnswerTask) -> list[str]:
    """Return the sentences of a reply without those that repeat the question or ask something back."""
    asked = set(read_words(task.question))
    values = [word for value in task.accepted for word in list_content(value)]
    kept = []
    for sentence in split_sentences(task.reply):
        words = [] if is_question_back(sentence) else read_words(sentence)
        own = [word for word in words if not any(stems_alike(word, one) for one in asked)]
        has_value = any(is_same_word(word, value) for word in own for value in values)
        if words and (has_value or len(own) > 0.34 * len(words) or not sentence.rstrip().endswith("?")):
            kept.append(sentence)
    return kept


def _mentions(value: str, clauses: Sequence[Sequence[str]]) -> list[_Mention]:
    found = []
    for number, words in enumerate(clauses):
        for start, end in find_places(value, words):
            before = list(words[max(0, start - 4) : start])
            for pivot in range(len(before) - 1, -1, -1):
                if before[pivot] in _PIVOTS and pivot and before[pivot - 1] not in _NEGATORS:
                    before = before[pivot + 1 :]
                    break
            denied = bool(set(before) & _NEGATORS) and "only" not in before
            near = set(words[max(0, start - 3) : start]) | set(words[end : end + 2])
            found.append(_Mention(value, number, denied, bool(near & _ALTERNATIVE)))
    return found


def _is_past(mention: _Mention, clauses: Sequence[Sequence[str]]) -> bool:
    """Return whether a value is named as what held before, beside what holds now."""
    return len(clauses) > 1 and bool(set(clauses[mention.clause]) & _PAST)


def _competing(task: AnswerTask) -> list[str]:
    """Return values that would be wrong: the given ones, and other names and numbers that were told."""
    values = [word for value in task.accepted for word in list_content(value)]
    known, told = (*values, *list_content(task.question)), []
    has_numbers = any(map(is_number, values))
    is_capital = any(re.search(r"[A-ZА-Я]", one) for one in task.accepted)
    near = {
        word
        for words in _split(split_sentences(task.told), task.accepted)
        if not has_numbers and shares_word(words, values)
        for word in words
    }
    for word in re.findall(r"[^\W_]+(?:[:.][^\W_]+)*", task.told)[1:]:
        plain = read_words(word)
        if not plain or plain[0] in {"i", "i'm", "я"} or plain[0] in near:
            continue
        is_rival = is_number(plain[0]) if has_numbers else is_capital and word[0].isupper()
        if is_rival and not any(is_same_word(plain[0], one) for one in known):
            told.append(plain[0])
    wrong = [value for value in task.rejected if not shares_word([value.casefold()], values)]
    return list(dict.fromkeys((*wrong, *told)))


def _same_kind(task: AnswerTask, clauses: Sequence[Sequence[str]]) -> list[str]:
    """Return words of the reply that exclude the answer: another month, another colour."""
    wanted = [word for value in task.accepted for word in list_content(value)]
    return [word for words in clauses for word in words if any(is_same_kind(word, one) for one in wanted)]


def _weigh(
    task: AnswerTask, clauses: Sequence[Sequence[str]], right: Sequence[_Mention], wrong: Sequence[_Mention]
) -> Opinion | None:
    """Decide where the answer is named."""
    said = [one for one in right if not one.denied]
    others = [
        one
        for one in wrong
        if not one.denied and not any(one.clause == it.clause and one.value == it.value for it in said)
    ]
    if right and not said:
        return Opinion(WRONG, f"denies '{right[0].value}'", NAME, 0.9)
    if not said:
        return Opinion(WRONG, f"says '{others[0].value}' instead", NAME, 0.9) if others else None
    if all(one.offered for one in said):
        return Opinion(WRONG, f"offers '{said[0].value}' as one of several", NAME, 0.85)
    if not others:
        return Opinion(RIGHT, f"says '{said[0].value}'", NAME, 0.95)
    return _between(task, clauses, said, others)


def _between(
    task: AnswerTask, clauses: Sequence[Sequence[str]], said: Sequence[_Mention], others: Sequence[_Mention]
) -> Opinion:
    """Decide where the answer and another value are named: by which of them the asked thing stands."""
    asked = [word for word in list_content(task.question) if len(word) > 2]

    def about(mentions: Sequence[_Mention]) -> set[str]:
        words = {word for one in mentions for word in clauses[one.clause]}
        return {word for word in asked if any(stems_alike(word, one) for one in words)}

    ours, theirs = about(said), about(others)
    if ours - theirs and not theirs - ours:
        return Opinion(RIGHT, f"says '{said[0].value}' about what was asked", NAME, 0.85)
    if theirs - ours and not ours - theirs:
        return Opinion(WRONG, f"says '{others[0].value}' about what was asked", NAME, 0.85)
    if said[0].clause < others[0].clause:
        return Opinion(RIGHT, f"says '{said[0].value}' first", NAME, 0.75)
    return abstain(f"names both '{said[0].value}' and '{others[0].value}'", NAME)


def _without_value(task: AnswerTask, clauses: Sequence[Sequence[str]]) -> Opinion:
    """Decide where no accepted answer is named as a whole."""
    words = [word for clause in clauses for word in clause]
    if is_abstention(task.reply):
        return Opinion(WRONG, "says that it does not know", NAME, 0.95)
    if partly := _compare_codes(task) or _partly(task, words):
        return partly
    values = [list_content(value) for value in task.accepted]
    number = next((word for word in words if is_number(word)), None)
    if number and all(any(is_number(word) for word in value) for value in values):
        return Opinion(WRONG, f"says '{number}'", NAME, 0.9)
    asked = read_words(task.question)
    if not any(not any(stems_alike(word, one) for one in asked) for word in words):
        return Opinion(WRONG, "repeats the question", NAME, 0.9)
    if near := find_nearly_alike(words, values):
        return abstain(f"says '{near}', which is spelled almost the same", NAME)
    return Opinion(WRONG, "does not name it", NAME, 0.75)


def _partly(task: AnswerTask, words: Sequence[str]) -> Opinion | None:
    """Decide where the part of an accepted answer is named that carries it."""
    asked = list_content(task.question)
    for value in task.accepted:
        wanted = list_content(value)
        new = [word for word in wanted if not any(stems_alike(word, one) for one in asked)] or wanted
        found = [word for word in new if any(is_same_word(one, word) for one in words)]
        if any(is_number(word) and word not in found for word in wanted):
            continue
        has_number = any(is_number(word) for word in found)
        carries = len(found) == len(new) or has_number or find_head(value) in found or is_name(value)
        if not found or not carries:
            continue
        if set(words) & _ALTERNATIVE:
            return Opinion(WRONG, f"offers '{' '.join(found)}' as one of several", NAME, 0.8)
        if has_number and leaves_out(found, new) and len(words) > _SHORT:
            return abstain(f"names '{' '.join(found)}', but perhaps about something else", NAME)
        if set(words) & _NEGATORS - {"rather"} or "since" in words:
            return abstain(f"names '{' '.join(found)}' with a negation", NAME)
        if is_name(value) and goes_on(found, task.reply):
            return Opinion(WRONG, "names another one", NAME, 0.85)
        return Opinion(RIGHT, f"names '{' '.join(found)}'", NAME, 0.85)
    return None
