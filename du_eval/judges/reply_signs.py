"""Signs that a text replies to somebody: it speaks to the partner, opens like an answer, points back."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PARTNER = (
    r"you|your|yours|you're|let us|let's|shall we|me too|same here|вы|вас|вам|ваш\w*|ты|тебя|тебе|тво\w+|"
    r"\w+(?:йте|ите|ешь|ишь)(?:сь)?"
)
_OPENING = (
    r"oh|yes|no|well|maybe|perhaps|of course|sure|then|that|in that case|me too|same|so|and|but|why|how|what|"
    r"which|did|do|does|have|has|are|is|can|could|will|would|should|да|нет|тогда|может|конечно|а|но|как|"
    r"почему|сколько|кажется|попробуй\w*"
)
_BACK = (
    r"it|that|this|them|they|he|she|him|her|there|then|one|these|those|это|этого|он|она|они|его|её|ее|ему|ей|"
    r"им|их|там|тогда|туда|так"
)
_SIGNS: Mapping[str, tuple[re.Pattern[str], float]] = {
    "speaks to the partner": (re.compile(rf"\b(?:{_PARTNER})\b", re.IGNORECASE), 0.3),
    "opens like an answer": (re.compile(rf"^\W*(?:{_OPENING})\b", re.IGNORECASE), 0.2),
    "points back": (re.compile(rf"\b(?:{_BACK})\b", re.IGNORECASE), 0.1),
}


def signs_of(reply: str) -> dict[str, float]:
    """Return the signs that a text has, with their weights."""
    return {name: weight for name, (pattern, weight) in _SIGNS.items() if pattern.search(reply)}
