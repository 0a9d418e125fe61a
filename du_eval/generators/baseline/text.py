"""Parts of a message: sentences, clauses, and words that carry content."""

from __future__ import annotations

import re

from du_eval.generators.baseline.tables import read_table
from du_eval.text.words import plain, stem, words

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


def split_identifier(name: str) -> str:
    """Return the words of an identifier such as `book_room` or `flow-bookRoom`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")


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
