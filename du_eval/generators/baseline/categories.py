"""Which of a slot's known values a message mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from du_eval.generators.baseline.concepts import concept_of, expanded
from du_eval.generators.baseline.profiles import SlotProfile
from du_eval.generators.baseline.text import STOP_WORDS, stem, words

_CLOSE = 0.84
_NEGATED = re.compile(
    r"\b(?:not|no|instead of|rather than|without|isn't|wasn't)\s+(?:a |an |the |by )?$", re.IGNORECASE
)
_EXACT, _SAME_STEMS, _PART, _SAME_SENSE, _SIMILAR = 5.0, 4.0, 3.0, 2.0, 1.0


def mentioned_values(profile: SlotProfile, text: str) -> tuple[str, ...]:
    """Return the values that a message mentions without refusing them, the surest kind of match only."""
    found = list(_matches(profile, text))
    best = max((score for _, score in found), default=0.0)
    return tuple(dict.fromkeys(value for value, score in found if score == best))


def abbreviated_value(profile: SlotProfile, text: str) -> str | None:
    """Return the only value that a short answer begins."""
    said = words(text)
    if len(said) != 1:
        return None
    values = {value for alias, value in profile.aliases if alias.startswith(said[0])}
    return values.pop() if len(values) == 1 else None


def _matches(profile: SlotProfile, text: str) -> Iterator[tuple[str, float]]:
    lowered = expanded(text).lower()
    said = [word for word in words(lowered) if word not in STOP_WORDS] or words(lowered)
    stems = {stem(word) for word in said}
    senses = {concept_of(item) for item in stems}
    shared = _shared_senses(profile)
    for alias, value in profile.aliases:
        positions = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(alias)}(?!\w)", lowered)]
        if positions:
            if any(not _NEGATED.search(lowered[:position]) for position in positions):
                yield value, _EXACT
            continue
        own = {stem(word) for word in words(alias) if word not in STOP_WORDS} or {
            stem(word) for word in words(alias)
        }
        if own <= stems:
            yield value, _SAME_STEMS
        elif stems <= own:
            yield value, _PART
        elif own and {concept_of(item) for item in own} <= senses - shared:
            yield value, _SAME_SENSE
        elif any(_is_similar(alias, word) for word in said):
            yield value, _SIMILAR


def _shared_senses(profile: SlotProfile) -> set[str]:
    """Return the senses that belong to more than one value: they decide nothing."""
    owners: dict[str, set[str]] = {}
    for alias, value in profile.aliases:
        for word in words(alias):
            owners.setdefault(concept_of(stem(word)), set()).add(value)
    return {sense for sense, values in owners.items() if len(values) > 1}


def _is_similar(alias: str, word: str) -> bool:
    return len(alias) >= 5 and len(word) >= 5 and SequenceMatcher(None, alias, word).ratio() >= _CLOSE
