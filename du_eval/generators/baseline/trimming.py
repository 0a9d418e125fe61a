"""An answer without the words around it that only make it a sentence."""

from __future__ import annotations

import re

from du_eval.generators.baseline.tables import join_alternatives, read_table
from du_eval.text.words import plain

_TABLE = {name: join_alternatives(lines) for name, lines in read_table("phrases.txt").items()}
_LEAD_IN = re.compile(rf"^(?:(?:{_TABLE['lead_ins']})[\s,.!:-]+)+(?=[\w@#\"])", re.IGNORECASE)
_FRAME = re.compile(rf"^(?:{_TABLE['frames']})\s+(?=\S)", re.IGNORECASE)
_TAIL = re.compile(rf"[\s,.!;:-]*(?:\b(?:{_TABLE['tails']})\b[\s,.!)]*)+$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an|my|our|some)\s+(?=\S)", re.IGNORECASE)
_PREPOSITION = re.compile(r"(?:in|at|by|from|for)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“„«](?P<words>[^\"”“»]+)[\"”“»]")
_EDGES = ' .!?,;:"'


def bare(message: str, *, keeps_preposition: bool = False) -> str:
    """Return the words that an answer is about; what stands in quotation marks says it best."""
    quote = _QUOTED.search(message)
    if quote:
        return quote["words"].strip()
    text = plain(message).strip(_EDGES)
    previous = None
    while previous != text:
        previous = text
        text = _LEAD_IN.sub("", text)
        if not keeps_preposition or not _PREPOSITION.match(text):
            text = _FRAME.sub("", text)
        text = _TAIL.sub("", text).strip(_EDGES)
    return text if keeps_preposition else _ARTICLE.sub("", text)
