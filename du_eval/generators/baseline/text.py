"""Words of a message: tokens, stems, clauses, and what carries no content."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from du_eval.generators.baseline.tables import read_table

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_APOSTROPHE = re.compile(r"[’`´]")
_EMOJI = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]+")
_BLANKS = re.compile(r"\s+")
_SENTENCE_END = re.compile(
    r"(?<=[.!?;])(?<!\bdr\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bmrs\.)\s+|\n+|…", re.IGNORECASE
)
_CLAUSE_JOINT = re.compile(
    r",?\s+(?:and\s+then|and\s+also|and\s+after\s+that|but\s+first|after\s+that|as\s+well\s+as|plus)\s+"
    r"|,\s*(?:and|then|also|but|or)\s+"
    r"|\s+(?:and|then|also)\s+(?=(?:i|can|could|please|show|tell|what|how|where|when|is|do)\b)",
    re.IGNORECASE,
)

STOP_WORDS = frozenset(word for line in read_table("words.txt")["stop"] for word in line.split())


def plain(text: str) -> str:
    """Return a text with straight apostrophes and single blanks, without emoji."""
    text = unicodedata.normalize("NFKC", text)
    return _BLANKS.sub(" ", _EMOJI.sub(" ", _APOSTROPHE.sub("'", text))).strip()


def words(text: str) -> list[str]:
    """Return the words in lower case."""
    return [word.lower() for word in _WORD.findall(plain(text))]


def split_identifier(name: str) -> str:
    """Return the words of an identifier such as `book_room` or `flow-bookRoom`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word without its most common English endings; the result is a key, not a word."""
    word = word.removesuffix("'s")
    for ending, stands_for in (
        ("ies", "y"), ("ment", ""), ("ments", ""), ("ings", ""), ("ing", ""), ("ied", "y"), ("ed", ""),
        ("sses", "ss"), ("es", ""), ("s", ""), ("ly", ""),
    ):  # fmt: skip
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: len(word) - len(ending)] + stands_for
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsaeiou":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def content_words(text: str) -> list[str]:
    """Return the words that say what a text is about."""
    return [word for word in words(text) if word not in STOP_WORDS]


def content_stems(text: str) -> list[str]:
    """Return the stems of the words that say what a text is about."""
    return [stem(word) for word in content_words(text)]


def sentences(text: str) -> list[str]:
    """Return the sentences of a message."""
    return [part.strip() for part in _SENTENCE_END.split(plain(text)) if part and part.strip()]


def clauses(text: str) -> list[str]:
    """Return the parts of a message that may each ask for something."""
    parts = [part for sentence in sentences(text) for part in _CLAUSE_JOINT.split(sentence)]
    return [part.strip(" ,") for part in parts if part.strip(" ,.!?")]
