"""How much a text repeats itself: groups of words that occur more than once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

THRESHOLD = 0.33
"""A text passes up to this value; `du-eval quality calibrate stuttering` shows how good that is."""
_WORD = re.compile(r"[\w']+")


def stuttering(text: str) -> float:
    """Return the stuttering value of a text, whatever its capitals and punctuation; 0 for none."""
    return repetition(_WORD.findall(text.casefold()))


def repetition(words: Sequence[str]) -> float:
    """Return the sum, over the orders from 2, of (the most frequent group's count - 1) x order / words."""
    total = len(words)
    value = 0.0
    for order in range(2, total):
        groups = Counter(tuple(words[start : start + order]) for start in range(total - order + 1))
        most = max(groups.values())
        if most == 1:
            break  # a longer group cannot repeat either
        value += (most - 1) * order / total
    return value
