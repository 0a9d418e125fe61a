"""Names of people, companies and places, found by capitals and by the words in front of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.tables import read_table
from du_eval.generators.baseline.text import STOP_WORDS
from du_eval.text.words import words

_TITLE = r"(?:(?i:mr|mrs|ms|miss|dr|prof|sir|aunt|uncle|auntie|tante|onkel|oncle|tía|tío)\.?\s+)"
_CAPITAL = r"[A-ZÀ-ÖØ-ÞА-ЯЁ](?:\.|[\w'’-]*)"
_PROPER = re.compile(
    rf"(?<![\w@#])(?:{_TITLE})?{_CAPITAL}(?:\s+(?:(?:de|la|van|von|der|den|of|the|and|&)\s+)?{_CAPITAL})*"
)
_TITLED = re.compile(rf"(?<!\w){_TITLE}[^\W\d_][\w'’-]*(?:\s+{_CAPITAL})*")
_LED = re.compile(
    r"(?<!\w)(?P<lead>to|for|from|with|in|at|near|by|pay|owe|give|send|called|named|an|für|von|à|pour|para|al|de)\s+"
    r"(?:(?:the|a|an|my|our|some)\s+)?(?=(?P<name>[^\W\d_][\w'’&.-]*(?:\s+[^\W\d_][\w'’&.-]*){0,2}))",
    re.IGNORECASE,
)
_BEFORE_A_VERB = re.compile(
    r"\b(?:want\w*|need\w*|like|love|wish|hope|try\w*|going|how|able|ha(?:ve|s|d)|got|used|ready|time|way|prefer"
    r"|plan\w*|forgot|remember|decided|help|me|us|you|him|her|them|what|where|when|order|possible|about|things?)\s+$",
    re.IGNORECASE,
)
_NO_NAME = STOP_WORDS.union(*(line.split() for line in read_table("words.txt")["no_names"]))


def find_names(text: str) -> Iterator[Span]:
    """Yield capitalised names, then what follows a telling preposition or verb in lower case."""
    has_case = not text.isupper()
    for match in _TITLED.finditer(text):
        yield Span(Form.NAME, match.start(), match.end(), match[0])
    for match in _PROPER.finditer(text) if has_case else ():
        if span := _proper(text, match):
            yield span
    for match in _LED.finditer(text):
        if span := _led(text, match):
            yield span


def _proper(text: str, match: re.Match[str]) -> Span | None:
    start, end = match.span()
    before = text[:start].rstrip()
    starts_sentence = not before or before[-1] in ".!?:;\n"
    parts = match[0].split()
    while (
        parts
        and parts[0].lower().strip(".,'") in _NO_NAME | {"i", "ok"}
        and (starts_sentence or len(parts) == 1)
    ):
        start += (
            len(parts[0])
            + len(text[start + len(parts[0]) : end])
            - len(text[start + len(parts[0]) : end].lstrip())
        )
        parts = parts[1:]
    value = text[start:end].rstrip(".,!?'-")
    if not parts or len(value) < 2 or value.lower() in _NO_NAME or words(value)[:1] in ([], ["i'm"], ["i'd"]):
        return None
    is_first = starts_sentence and start == match.start() and len(parts) == 1
    return Span(Form.NAME, start, start + len(value), value, is_sure=not is_first)


def _led(text: str, match: re.Match[str]) -> Span | None:
    if match["lead"].lower() == "to" and _BEFORE_A_VERB.search(text[: match.start()]):
        return None
    kept: list[str] = []
    for word in match["name"].split():
        bare = word.lower().strip(".,'")
        if bare in _NO_NAME:
            break
        kept.append(word)
        if word[-1] in ".,":
            break
    value = " ".join(kept).rstrip(".,!?'")
    start = match.start("name")
    return Span(Form.NAME, start, start + len(value), value, is_sure=False) if len(value) > 1 else None
