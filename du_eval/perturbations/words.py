"""Words in a wrong order, left out, or replaced by random words or by synonyms."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from du_eval.perturbations.base import (
    Perturbed,
    chosen,
    count_of,
    free_places,
    parts_of,
    words_of,
)
from du_eval.perturbations.distance import inversions
from du_eval.perturbations.vocabulary import random_words, synonyms

_SHARE = "share of words"


@dataclass(frozen=True, slots=True)
class WordOrder:
    """Swaps neighbouring words `level` times, never back again."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text in another order; the level is the number of swaps that put it right."""
        words = words_of(text)
        free = set(free_places(words, protected))
        order = list(range(len(words)))
        for _ in range(int(level)):
            pairs = [
                place
                for place in range(len(order) - 1)
                if order[place] < order[place + 1]
                and {order[place], order[place + 1]} <= free
                and words[order[place]].casefold() != words[order[place + 1]].casefold()
            ]
            if not pairs:
                break
            place = random.choice(pairs)
            order[place], order[place + 1] = order[place + 1], order[place]
        moved = tuple(place for place, source in enumerate(order) if place != source)
        return Perturbed(" ".join(words[place] for place in order), inversions(order), "swaps", level, moved)


@dataclass(frozen=True, slots=True)
class Omission:
    """Leaves out a share of the words, but never all of them."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return what is left; the level is the share of words that went."""
        words = words_of(text)
        count = min(count_of(level, len(words)), max(0, len(words) - 1))
        gone = chosen(free_places(words, protected), count, random)
        left = [word for place, word in enumerate(words) if place not in gone]
        return Perturbed(" ".join(left), _share(gone, words), _SHARE, level, tuple(gone))


@dataclass(frozen=True, slots=True)
class RandomReplacement:
    """Puts random words in the place of a share of the words."""

    vocabulary: Sequence[str] = ()
    """The words to draw from; words of the text's language when empty."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text with strange words; the level is the share of words that were replaced."""
        words = words_of(text)
        places = chosen(free_places(words, protected), count_of(level, len(words)), random)
        pool = self.vocabulary or random_words(text)
        present = {parts_of(word)[1].casefold() for word in words}
        fresh = [word for word in pool if word not in present]
        changed = list(words)
        for place in places:
            changed[place] = _replaced(words[place], random.choice(fresh))
        return Perturbed(" ".join(changed), _share(places, words), _SHARE, level, tuple(places))


@dataclass(frozen=True, slots=True)
class SynonymReplacement:
    """Puts synonyms in the place of a share of the words; a word without a known synonym stays."""

    table: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Word -> synonyms; the packaged table of the text's language when empty."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text in other words; the level is the share of words that were replaced."""
        words = words_of(text)
        table = self.table or synonyms(text)
        known = [place for place in free_places(words, protected) if table.get(_core(words[place]))]
        places = chosen(known, count_of(level, len(words)), random)
        changed = list(words)
        for place in places:
            changed[place] = _replaced(words[place], random.choice(list(table[_core(words[place])])))
        return Perturbed(" ".join(changed), _share(places, words), _SHARE, level, tuple(places))


def with_synonyms(text: str, probability: float, random: Random, protected: Collection[str] = ()) -> str:
    """Return the text, each word that has synonyms replaced by one with a probability: for augmentation."""
    words = words_of(text)
    table = synonyms(text)
    changed = list(words)
    for place in free_places(words, protected):
        known = table.get(_core(words[place]))
        if known and random.random() < probability:
            changed[place] = _replaced(words[place], random.choice(list(known)))
    return " ".join(changed)


def _core(word: str) -> str:
    return parts_of(word)[1].casefold()


def _replaced(word: str, other: str) -> str:
    before, core, after = parts_of(word)
    return before + (other.capitalize() if core[:1].isupper() and len(core) > 1 else other) + after


def _share(places: Sequence[int], words: Sequence[str]) -> float:
    return len(places) / len(words) if words else 0.0
