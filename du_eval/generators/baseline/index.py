"""How alike texts are: TF-IDF over words, also those of similar meaning, and over letters."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from du_eval.generators.baseline.text import STOP_WORDS
from du_eval.text.meaning import find_vectors
from du_eval.text.words import stem, words

Scores = npt.NDArray[np.float64]
Bag = Mapping[str, float]
_STOP_WORD = 0.4
"""What a function word weighs beside a word of content."""
_STOP_STEMS = frozenset(map(stem, STOP_WORDS))
_SHORTEST, _LONGEST = 2, 4
_NEAR = 0.35
"""How near the vectors of two words must be for one to count, a little, as the other."""


def bag_of_words(text: str) -> Bag:
    """Return the stems of a text, with weights."""
    bag: defaultdict[str, float] = defaultdict(float)
    for word in words(text):
        bag[stem(word)] += _STOP_WORD if word in STOP_WORDS else 1.0
    return bag


def bag_of_letters(text: str) -> Bag:
    """Return the sequences of two to four letters in the words of a text, with weights."""
    bag: defaultdict[str, float] = defaultdict(float)
    for word in words(text):
        weight = _STOP_WORD if word in STOP_WORDS else 1.0
        padded = f" {word} "
        for size in range(_SHORTEST, min(_LONGEST, len(padded)) + 1):
            for start in range(len(padded) - size + 1):
                bag[padded[start : start + size]] += weight
    return bag


class TextIndex:
    """Compares a text with a fixed list of texts, by the cosine of weighted bags."""

    def __init__(self, texts: Sequence[str], to_bag: Callable[[str], Bag]) -> None:
        self._to_bag = to_bag
        self._size = len(texts)
        bags = [to_bag(text) for text in texts]
        counts = Counter(term for bag in bags for term in bag)
        self._rarity = {term: _rate(len(bags), count) for term, count in counts.items()}
        self._unseen = _rate(len(bags), 0)
        postings: dict[str, list[tuple[int, float]]] = {}
        for number, bag in enumerate(bags):
            vector = {term: _damp(weight) * self._rarity[term] for term, weight in bag.items()}
            length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
            for term, value in vector.items():
                postings.setdefault(term, []).append((number, value / length))
        self._postings = {
            term: (np.array([number for number, _ in found]), np.array([value for _, value in found]))
            for term, found in postings.items()
        }

    def compare(self, text: str) -> Scores:
        """Return the likeness of a text to each text of the list, between 0 and 1."""
        scores = np.zeros(self._size)
        bag = self._to_bag(text)
        square = sum(
            (_damp(weight) * self._rarity.get(term, self._unseen)) ** 2 for term, weight in bag.items()
        )
        for term, weight in self._find_terms(bag).items():
            numbers, values = self._postings[term]
            scores[numbers] += weight * self._rarity[term] * values
        return scores / math.sqrt(square) if square else scores

    def _find_terms(self, bag: Bag) -> Bag:
        """Return the terms of the list that a bag holds, with their weights."""
        return {term: _damp(weight) for term, weight in bag.items() if term in self._postings}


class MeaningIndex(TextIndex):
    """Compares words, and counts words of similar meaning as a part of each other."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(texts, bag_of_words)
        self._terms = [term for term in self._postings if term not in _STOP_STEMS]
        self._vectors = find_vectors(self._terms)
        self._alike: dict[str, list[tuple[str, float]]] = {}

    def _find_terms(self, bag: Bag) -> Bag:
        found = dict(super()._find_terms(bag))
        for term, weight in bag.items():
            for other, share in self._neighbours(term):
                found[other] = max(found.get(other, 0.0), _damp(weight) * share)
        return found

    def _neighbours(self, term: str) -> list[tuple[str, float]]:
        """Return the words of the list that mean nearly the same, with the share that they count."""
        if term not in self._alike:
            near = self._vectors @ find_vectors([term])[0]
            is_far = term in _STOP_STEMS
            chosen = () if is_far else np.flatnonzero(near >= _NEAR)
            self._alike[term] = [(self._terms[at], float(near[at]) ** 2) for at in chosen]
        return self._alike[term]


def _rate(texts: int, count: int) -> float:
    """Return the weight of a term that so many texts have; the root keeps rare words from deciding alone."""
    return math.sqrt(math.log((1 + texts) / (1 + count)) + 1)


def _damp(weight: float) -> float:
    return weight if weight <= 1 else 1 + math.log(weight)
