"""Words that exclude or imply each other: what is white is not black, what is huge is big."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from du_eval.judges.lexicon import read_data
from du_eval.judges.plain_text import stems_alike

_KINDS: list[list[str]] = [kind.split() for kind in read_data("words.yml")["kinds"]]
_THINGS: list[list[str]] = [kind.split() for kind in read_data("words.yml")["things"]]
_SCALES: list[list[list[str]]] = [
    [side.split() for side in scale] for scale in read_data("words.yml")["scales"]
]
_JOINED = [word for scale in _SCALES for side in scale for word in side if "-" in word]


def compare_words(asked: Sequence[str], said: Sequence[str]) -> tuple[str, str, bool] | None:
    """Return an asked word, a said one, and whether they agree; None where they have nothing to do."""
    text = f" {' '.join(said)} "
    said = [*said, *(word for word in _JOINED if f" {word.replace('-', ' ')} " in text)]
    for one in asked:
        for members in (*_KINDS, *_THINGS):
            if one in members:
                others = [word for word in said if word in members]
                if others and one not in others:
                    return one, others[0], False
        for left, right in _SCALES:
            for here, there in ((left, right), (right, left)):
                if one not in here:
                    continue
                same = next((word for word in said if word in here), None)
                against = next((word for word in said if word in there), None)
                if (same is None) != (against is None):
                    return one, same or against or "", same is not None
    return None


def is_same_kind(one: str, other: str) -> bool:
    """Return whether two different words are values of one kind, so that only one of them can be right."""
    return bool(_find_kinds(one) & _find_kinds(other)) and not stems_alike(one, other)


@lru_cache(maxsize=4096)
def _find_kinds(word: str) -> frozenset[int]:
    """Return the kinds that a word is a value of, in whatever form."""
    return frozenset(
        number
        for number, members in enumerate(_KINDS)
        if any(stems_alike(word, member) for member in members)
    )
