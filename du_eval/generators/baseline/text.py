"""Word lists of the baseline, and the parts of a message: sentences, and words that carry content."""

from __future__ import annotations

import re
from importlib.resources import files

from du_eval.text.words import plain, stem, words

_SENTENCE_END = re.compile(
    r"(?<=[.!?;])(?<!\bdr\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bmrs\.)\s+|\n+|…", re.IGNORECASE
)
_NEXT_WISH = re.compile(r"(?<=\s)(?:and then|and also|also|plus|but first|after that)(?=\s)", re.IGNORECASE)


def read_table(name: str) -> dict[str, list[str]]:
    """Return the lines of a file by section; sections begin with `[name]`, comments with `#`."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            current.append(line)
    return sections


WORDS = read_table("words.txt")
STOP_WORDS = frozenset(word for line in WORDS["stop"] for word in line.split())


def split_identifier(name: str) -> str:
    """Return the words of an identifier such as `book_room` or `flow-bookRoom`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")


def split_wishes(text: str) -> list[str]:
    """Return the parts of a message that may each ask for something of their own."""
    return [part.strip() for part in _NEXT_WISH.split(plain(text)) if content_words(part)]


def content_words(text: str) -> list[str]:
    """Return the words that say what a text is about."""
    return [word for word in words(text) if word not in STOP_WORDS]


def content_stems(text: str) -> list[str]:
    """Return the stems of the words that say what a text is about."""
    return [stem(word) for word in content_words(text)]


def sentences(text: str) -> list[str]:
    """Return the sentences of a message."""
    return [part.strip() for part in _SENTENCE_END.split(plain(text)) if part and part.strip()]
