"""Whether a reply repeats itself like a machine that got stuck: by words, groups of words and sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from du_eval.judges.lexicon import read_word_set
from du_eval.judges.opinion import Opinion

NAME = "stutter-rules/5"
STUTTERS, FINE = "stutters", "fine"
_MUCH = 1.2
_MOST_WORDS, _EDGE = 1000, 1200
"""Words, or characters at both ends, of a long reply that are looked at: what is stuck stays stuck."""
_WORD = re.compile(r"[\w']+")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|(?<!\w)'[^']+'(?!\w)")
_DOUBLED = re.compile(
    r"\b(\w+)(?:-| (?:after|by|upon|за) )\1\b|\b((?:i|we|you|he|she|it|they) \w+)(?: and \2){2}\b",
    re.IGNORECASE,
)
"""Figures of speech: "day after day", "it rained and it rained and it rained"."""
_CHEER, _SENTENCE = 4, 4
_AND = frozenset({"and", "и"})
_EMPHASIS = read_word_set("emphasis")


def measure_stuttering(text: str) -> float:
    """Return the stuttering value of a text, whatever its capitals and punctuation; 0 for none."""
    return repetition(_WORD.findall(text.casefold()))


def repetition(words: Sequence[str]) -> float:
    """Return the sum, over the orders from 2, of (the most frequent group's count - 1) x order / words."""
    words = words[:_MOST_WORDS]
    total, value = len(words), 0.0
    groups: dict[int, object] = dict(enumerate(words))  # by where they begin
    for order in range(2, total):
        longer = {
            start: (groups[start], words[start + order - 1]) for start in groups if start + order <= total
        }
        count = Counter(longer.values())
        most = max(count.values(), default=1)
        if most == 1:
            break  # a longer group cannot repeat either
        value += (most - 1) * order / total
        numbers = {group: number for number, (group, times) in enumerate(count.items()) if times > 1}
        groups = {start: numbers[group] for start, group in longer.items() if group in numbers}
    return value


def read_stutter(reply: str) -> Opinion:
    """Return whether a reply stutters; words in quotation marks are somebody else's."""
    shown = reply if len(reply) <= 2 * _EDGE else f"{reply[:_EDGE]}\n{reply[-_EDGE:]}"
    plain = _DOUBLED.sub(r"\1\2", _QUOTED.sub(" ", shown.replace("’", "'")))
    words = _WORD.findall(plain.casefold())
    if len(set(words)) == 1 and len(words) <= _CHEER:
        return Opinion(FINE, "is one word said with emphasis", NAME, 0.8)
    if found := _stuck(plain) or _said_again(plain) or _recurring(words) or _obsessed(words):
        return Opinion(STUTTERS, found, NAME, 0.9)
    value = repetition([word for word, before in zip(words, ["", *words], strict=False) if word != before])
    if value > _MUCH and not _has_number(words):
        return Opinion(STUTTERS, f"the repetition score is {value:.2f}", NAME, 0.8)
    return Opinion(FINE, f"the repetition score is {value:.2f}", NAME, 0.9)


def _stuck(text: str) -> str:
    """Return a group of words that follows itself within a clause."""
    for clause in re.split(r"[.!?\n…,;:]+", text):
        original = _WORD.findall(clause)
        words = [word.casefold() for word in original]
        for order in range(1, len(words) // 2 + 1):
            for start in range(len(words) - 2 * order + 1):
                group = words[start : start + order]
                if group != words[start + order : start + 2 * order] or (order > 1 and len(set(group)) == 1):
                    continue
                times = _times(words, start, order)
                if order == 2 and times == 2 and _AND & set(group):
                    continue  # "on and on and on" is said on purpose
                if order > 1 or not _is_emphasis(original[start : start + 2], times):
                    return f"says '{' '.join(group)}' {times} times in a row"
    return ""


def _said_again(text: str) -> str:
    """Return a clause or sentence that is said again; a short one only if that happens often."""
    sentences = [tuple(_WORD.findall(part.casefold())) for part in re.split(r"[.!?\n…]+", text)]
    clauses = [tuple(_WORD.findall(part.casefold())) for part in re.split(r"[.!?\n…,;:]+", text)]
    for parts, least in ((sentences, 2), (clauses, 3)):
        count = Counter(words for words in parts if words and not _has_number(words))
        for words, times in count.items():
            is_long = len(words) >= (_SENTENCE if times == 2 else least)
            if times > 1 and ((is_long and times * len(words) >= 0.4 * sum(map(len, parts))) or times > 3):
                return f"says '{' '.join(words)}' {times} times"
    return ""


def _has_number(words: Sequence[str]) -> bool:
    """Return whether words name a number: times and prices of a list recur."""
    return any(character.isdigit() for word in words for character in word)


def _times(words: Sequence[str], start: int, order: int) -> int:
    group, times = list(words[start : start + order]), 1
    while list(words[start + times * order : start + (times + 1) * order]) == group:
        times += 1
    return times


def _is_emphasis(pair: Sequence[str], times: int) -> bool:
    """Return whether a word said times over is good language: emphasis, grammar or a name."""
    is_name = pair[0][0].isupper() and pair[1][0].isupper()
    return times <= _CHEER if pair[0].casefold() in _EMPHASIS else is_name and times == 2


def _obsessed(words: Sequence[str]) -> str:
    """Return a long word that comes up all the time."""
    count = Counter(word for word in words if len(word) > 3 and word not in _EMPHASIS)
    word, times = count.most_common(1)[0] if count else ("", 0)
    return f"says '{word}' {times} times" if times > 3 and times * 5 >= len(words) else ""


def _recurring(words: Sequence[str]) -> str:
    """Return a group of words that recurs so often or at such length that it is no figure of speech."""
    for order in range(len(words) // 2, 2, -1):
        groups = Counter(tuple(words[start : start + order]) for start in range(len(words) - order + 1))
        group, most = groups.most_common(1)[0]
        times = _apart(words, group) if most > 1 else 1
        if (
            times > 1
            and len(set(group)) > 2
            and not _has_number(group)
            and (
                order > 5
                or (order > 3 and order * times > 0.75 * len(words))
                or times > (3 if order == 3 else 2)
            )
        ):
            return f"says '{' '.join(group)}' {times} times"
    return ""


def _apart(words: Sequence[str], group: tuple[str, ...]) -> int:
    """Return how often a group occurs without overlap."""
    times, start = 0, 0
    while start <= len(words) - len(group):
        found = tuple(words[start : start + len(group)]) == group
        times, start = times + found, start + (len(group) if found else 1)
    return times
