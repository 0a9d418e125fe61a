"""Texts as the rules read them: one spelling, no chat shorthand, cut into sentences and clauses."""

from __future__ import annotations

import re
from functools import lru_cache

from du_eval.judges.lexicon import read_data, read_word_set

_APOSTROPHES = str.maketrans(
    {"’": "'", "`": "'", "ʼ": "'", "‘": "'", "ё": "е", "…": "...", "—": " - ", "–": " - "}
)
_SPLIT_NOT = re.compile(r"\b(\w+?)\s+n\s*'\s*t\b|\b(\w+n)\s*'\s*t\b")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_SENTENCE = re.compile(r"[^.!?;\n]+(?:\.(?=\d)[^.!?;\n]+)*[.!?;\n]*")
_CLAUSE = re.compile(r"\s*(?:,|:|\s-+\s|\.{3}|[\U0001F000-\U0001FAFF☀-➿]+|\s\(|\)+|;)\s*")
_CYRILLIC = re.compile(r"[а-я]")
_ENDINGS = read_word_set("endings") | {""}
_IRREGULAR = {
    form: word for word, forms in read_data("words.yml")["irregular"].items() for form in forms.split()
}
WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_SHORTHAND: dict[str, str] = read_data("words.yml")["shorthand"]
_SHORT_WORD = re.compile(r"(?<![\w'])(?:" + "|".join(map(re.escape, _SHORTHAND)) + r")(?![\w'])")
_LONGEST = 4000
"""Characters that rules read at once, as the time of some grows with the square of a text."""


@lru_cache(maxsize=8192)
def normalise(text: str) -> str:
    """Return a text in small letters, with one spelling of apostrophes and n't, and no chat shorthand.

    Of a very long text, these are its beginning and its end.
    """
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"
    folded = text.casefold().translate(_APOSTROPHES)
    joined = _SPLIT_NOT.sub(lambda found: f"{(found[1] or found[2][:-1])}n't", folded)
    joined = _STRETCHED.sub(r"\1", joined)
    spelled = _SHORT_WORD.sub(lambda found: _SHORTHAND[found[0]], joined)
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"[^\S\n]+", " ", spelled)).strip()


def split_pieces(text: str) -> list[str]:
    """Return pieces of a very long text that can be read whole, each with the end of the one before it."""
    return [text[at : at + _LONGEST] for at in range(0, max(len(text) - 200, 1), _LONGEST - 200)]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, with their marks."""
    return [found.strip() for found in _SENTENCE.findall(text) if WORD.search(found)]


def split_clauses(sentence: str) -> list[str]:
    """Return the parts of a sentence between commas, dashes, brackets and pictures."""
    return [part.strip(" .!?\"'()") for part in _CLAUSE.split(sentence) if WORD.search(part)]


def split_words(text: str) -> list[str]:
    """Return the words of a text."""
    return WORD.findall(text)


def stems_alike(one: str, other: str) -> bool:
    """Return whether two words differ in their form only, as far as their letters tell."""
    one, other = _IRREGULAR.get(one, one), _IRREGULAR.get(other, other)
    if one == other:
        return True
    shortest, longest = sorted((len(one), len(other)))
    same = next((n for n in range(shortest) if one[n] != other[n]), shortest)
    if _CYRILLIC.match(one):
        is_inflected = same >= 3 and one[same:] in _ENDINGS and other[same:] in _ENDINGS
        return is_inflected or (same >= 5 and longest - same <= 4)
    return same >= max(4 if shortest > 4 else 3, shortest - 2) and longest - same <= (4 if same > 3 else 3)
