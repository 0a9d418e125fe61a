"""Dialogue state tracking: the figures of one frame, by the rules of the Schema-Guided Dialogue challenge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from math import prod

NO_INTENT = "NONE"
_NOT_ALPHANUMERIC = re.compile(r"[\W_]")
Match = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class GoalFrame:
    """What the user wants from one service."""

    intent: str = NO_INTENT
    slots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values of each slot; of gold any of them is right, of a prediction the first one counts."""
    requested: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FrameScore:
    """How well one frame is predicted."""

    intent: float
    requested_precision: float
    requested_recall: float
    average: float | None
    """The mean over the slots that the gold state has; None where it has none."""
    joint: float
    """The product over all slots of the service."""

    @property
    def requested_f1(self) -> float:
        """The F1 of requested slots; a frame in which nothing is requested or predicted counts as right."""
        both = self.requested_precision + self.requested_recall
        return 2 * self.requested_precision * self.requested_recall / both if both else 0.0


def match_fuzzily(first: str, second: str) -> float:
    """Return the similarity of two texts, whatever the order of their words, rounded to a hundredth.

    Lower case, other characters than letters and digits as spaces, words sorted; then twice the longest
    common subsequence by the sum of lengths. This is the token sort ratio with the Levenshtein back end.
    """
    if first == second:
        return 1.0
    one, other = _prepared(first), _prepared(second)
    if not one or not other:
        return 0.0
    return round(200 * _common_length(one, other) / (len(one) + len(other))) / 100


def match_exactly(first: str, second: str) -> float:
    """Return 1 for equal texts, else 0."""
    return float(first == second)


def _prepared(text: str) -> str:
    return " ".join(sorted(_NOT_ALPHANUMERIC.sub(" ", text).lower().split()))


def _common_length(first: str, second: str) -> int:
    """Return the length of the longest common subsequence, a column of bits at a time."""
    places: dict[str, int] = {}
    for position, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << position
    whole = (1 << len(first)) - 1
    row = whole
    for character in second:
        matches = row & places.get(character, 0)
        row = (row + matches | row - matches) & whole
    return len(first) - row.bit_count()


def score_slot(gold: tuple[str, ...], predicted: tuple[str, ...], match: Match) -> float:
    """Return how right the value of a slot is; an empty tuple stands for no value."""
    if not gold or not predicted:
        return float(not gold and not predicted)
    return max(match(value, predicted[0]) for value in gold)


def score_frame(
    gold: GoalFrame, predicted: GoalFrame, categorical: Collection[str] = (), match: Match = match_fuzzily
) -> FrameScore:
    """Return the figures of a frame; values of categorical slots must be equal to the first gold value."""
    scores = {
        slot: _score(gold.slots.get(slot, ()), predicted.slots.get(slot, ()), slot in categorical, match)
        for slot in gold.slots.keys() | predicted.slots.keys()
    }
    active = [scores[slot] for slot in gold.slots]
    hits = (Counter(gold.requested) & Counter(predicted.requested)).total()
    return FrameScore(
        float(gold.intent == predicted.intent),
        hits / len(predicted.requested) if predicted.requested else 1.0,
        hits / len(gold.requested) if gold.requested else 1.0,
        sum(active) / len(active) if active else None,
        prod(scores.values()),
    )


def _score(gold: tuple[str, ...], predicted: tuple[str, ...], is_categorical: bool, match: Match) -> float:  # noqa: FBT001
    if is_categorical:
        return score_slot(gold[:1], predicted, match_exactly)
    return score_slot(gold, predicted, match)
