"""Whether words of a reply name an expected value: in other forms, short names, digits or with a typo."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise

from du_eval.judges.lexicon import read_data, read_word_set
from du_eval.judges.numerals import split_tokens
from du_eval.judges.plain_text import normalise, stems_alike

_QUANTITIES = (
    (r"\bhalf a dozen\b", "6"), (r"\b(?:a |one )?dozen\b", "12"), (r"\bhalf a decade\b", "5 years"),
    (r"\b(?:a |one )decade\b", "10 years"), (r"\b(?:a |the )couple(?: of)?\b", "2"), (r"\ba pair of\b", "2"),
    (r"\b(?:a |one )fortnight\b", "2 weeks"), (r"\bhalf a century\b", "50 years"), (r"\btwice\b", "2 times"),
    (r"\bboth\b", "2"), (r"\bполдюжины\b", "6"), (r"\bдюжин\w\b", "12"), (r"\bпара\b", "2"),
    (r"\bполтор\w\b", "1.5"),
    (r"\bполдень\b", "12"), (r"\bполночь\b", "0"), (r"\bnoon\b", "12"), (r"\bmidnight\b", "0"),
)  # fmt: skip
_UNITS = read_word_set("units")
_NEARLY = 0.75
_GLUE = read_word_set("glue")


_MONTHS: list[list[str]] = [line.split() for line in read_data("words.yml")["months"]]


@cache
def _same_words() -> dict[str, frozenset[str]]:
    lines: list[str] = read_data("same_words.yml")
    found: dict[str, set[str]] = {}
    for line in lines:
        words = set(str(line).split())
        for word in words:
            found.setdefault(word, set()).update(words)
    return {word: frozenset(same) for word, same in found.items()}


@cache
def _named_alike(word: str) -> frozenset[str]:
    """Return a word with all that name the same, also where it is inflected."""
    known = _same_words()
    if word in known or not re.match(r"[а-я]", word):
        return known.get(word, frozenset()) | {word}
    return frozenset({word}).union(*(same for one, same in known.items() if stems_alike(one, word)))


def read_words(text: str) -> list[str]:
    """Return the words of a text as values are compared: numbers as digits."""
    plain = normalise(text)
    for pattern, digits in _QUANTITIES:
        plain = re.sub(pattern, digits, plain)
    plain = re.sub(r"(?<=\d)[, ](?=\d{3}\b)", "", plain)
    plain = re.sub(r"(\d+) ?(?:€|\$|£|%)|(?:€|\$|£)(\d+)", lambda found: f" {found[1] or found[2]} ", plain)
    plain = re.sub(r"(?<![\w])'(\d\d)\b", r"\1", plain)
    return split_tokens(plain)


def list_content(value: str) -> list[str]:
    """Return the words of a value that carry it."""
    words = read_words(value)
    return [word for word in words if word not in _GLUE] or words


def is_same_word(said: str, wanted: str) -> bool:
    """Return whether two words name the same."""
    if said == wanted or said in {f"{wanted}'s", f"{wanted}s'"}:
        return True
    if any(letter.isdigit() for letter in said + wanted):
        return bool(re.fullmatch(r"(?:19|20)\d\d", wanted)) and said == wanted[2:]
    if len(said) >= 4 and wanted.startswith(said):
        return True
    return any(stems_alike(said, one) for one in _named_alike(wanted)) or _is_typo(said, wanted)


def _is_typo(said: str, wanted: str) -> bool:
    """Return whether one letter was added, left out or swapped; another letter is another word."""
    if min(len(said), len(wanted)) < 5 or abs(len(said) - len(wanted)) > 1 or said == wanted:
        return False
    if len(said) == len(wanted):
        swaps = (said[:n] + said[n + 1] + said[n] + said[n + 2 :] for n in range(len(said) - 1))
        return wanted in swaps
    longer, shorter = (said, wanted) if len(said) > len(wanted) else (wanted, said)
    return any(longer[:n] + longer[n + 1 :] == shorter for n in range(len(longer)))


def find_places(value: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return where a value stands in words, as (start, end): its words in order, glue aside."""
    wanted = list_content(value)
    found = []
    for start in range(len(words)):
        at = start
        for word in wanted:
            while at < len(words) and at > start and words[at] in _GLUE and not is_same_word(words[at], word):
                at += 1
            if at >= len(words) or not is_same_word(words[at], word):
                break
            at += 1
        else:
            found.append((start, at))
    return found


def is_unit(word: str) -> bool:
    """Return whether a word only says what a number counts: pounds, gigabytes, roubles."""
    return word in _UNITS


def read_dates(text: str) -> set[tuple[int, int]]:
    """Return the dates of a text as (day, month); what may be read in two ways is given in both."""
    found = {
        pair
        for one, other in re.findall(r"\b(\d{1,2})[./](\d{1,2})(?:[./]\d{2,4})?\b", text)
        for pair in ((int(one), int(other)), (int(other), int(one)))
        if pair[0] <= 31 and 0 < pair[1] <= 12
    }
    words = read_words(text)
    for place, word in enumerate(words):
        month = next((n for n, names in enumerate(_MONTHS, 1) if word in names), None)
        near = [*words[max(0, place - 2) : place], *words[place + 1 : place + 2]]
        found |= {(int(day), month) for day in near if month and day.isdecimal() and 0 < int(day) <= 31}
    return found


def is_number(word: str) -> bool:
    """Return whether a word is a number, a time or a code with digits."""
    return any(letter.isdigit() for letter in word)


def leaves_out(found: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether more than the unit of a number is missing."""
    return any(word not in found and not is_unit(word) for word in wanted)


def find_head(value: str) -> str:
    """Return the word that carries a value: the last one before "with", "and" and the like."""
    first = re.split(r"\b(?:with|and|of|in|at|on|from|for|near|by|с|со|и|в|на|из|у|для)\b", value.casefold())
    return next((list_content(part)[-1] for part in first if part.strip()), "")


def is_name(value: str) -> bool:
    """Return whether every word of a value is written with a capital."""
    parts = re.findall(r"[^\W\d_]+", value)
    return len(parts) > 1 and all(part[0].isupper() for part in parts)


def goes_on(found: Sequence[str], reply: str) -> bool:
    """Return whether a name that was found goes on with another capital: Robin Hood for Robin Williams."""
    parts = re.findall(r"[^\W\d_]+|[^\w\s]", reply)
    for one, after in pairwise(parts):
        if one.casefold() in found and after[0].isupper() and after != "I" and after.casefold() not in found:
            return True
    return False


def find_nearly_alike(words: Sequence[str], values: Sequence[Sequence[str]]) -> str:
    """Return a word that is spelled nearly as one of the answer, so that it may be meant."""
    wanted = [word for value in values for word in value if len(word) > 3 and not is_number(word)]
    for word in words:
        if len(word) > 3 and any(SequenceMatcher(None, word, one).ratio() >= _NEARLY for one in wanted):
            return word
    return ""


def shares_word(words: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether any word of some names the same as any of others."""
    return any(is_same_word(one, other) for one in words for other in others)
