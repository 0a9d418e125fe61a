"""Which of a slot's known values a text mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from du_eval.generators.baseline.slots import SlotProfile
from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.text import STOP_WORDS, content_stems, split_identifier
from du_eval.text.meaning import are_alike
from du_eval.text.words import stem

REFUSED = re.compile(
    r"\b(?:not|no|instead of|rather than|without|isn't|wasn't)\s+(?:a |an |the |by |to |for )?$",
    re.IGNORECASE,
)
_EXACT, _BY_WORD, _BY_SPELLING, _BY_SENSE = 1.2, 1.0, 0.9, 0.8
_CLOSE, _ALIKE = 0.84, 0.6
"""How alike two spellings, and two meanings, must be."""


def find_values(profile: SlotProfile, text: str) -> Iterator[tuple[Span, float]]:
    """Yield the values that a text mentions without refusing them, with a score."""
    lowered = text.lower()
    for alias, value in profile.aliases:
        for match in (
            re.finditer(rf"(?<!\w){re.escape(alias)}(?:e?s)?(?!\w)", lowered) if alias in lowered else ()
        ):
            if not REFUSED.search(lowered[: match.start()]):
                yield Span(Form.VALUE, match.start(), match.end(), value), _EXACT + len(alias) / 1000
    for match in re.finditer(r"[^\W\d_]+", lowered) if profile.aliases else ():
        if match[0] not in STOP_WORDS and not REFUSED.search(lowered[: match.start()]):
            found, score = _loosely(profile, match[0])
            if len(found) == 1:
                yield Span(Form.VALUE, match.start(), match.end(), found.pop()), score


def _loosely(profile: SlotProfile, word: str) -> tuple[set[str], float]:
    """Return the values that one telling word, its sense, or a spelling that is nearly right stands for."""
    stemmed = stem(word)
    if stemmed in content_stems(split_identifier(profile.name)):
        return set(), 0.0
    stems = [(frozenset(content_stems(alias)), alias, value) for alias, value in profile.aliases]
    if found := {value for told, _, value in stems if stemmed in told}:
        return found, _BY_WORD
    if found := {value for told, _, value in stems if told and max(are_alike(stemmed, list(told))) >= _ALIKE}:
        return found, _BY_SENSE
    if len(word) > 3:
        return {
            v for _, alias, v in stems if SequenceMatcher(None, word, alias).ratio() >= _CLOSE
        }, _BY_SPELLING
    return set(), 0.0
