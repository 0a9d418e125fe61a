"""How alike texts are: TF-IDF over words, what they mean, and their letters."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from du_eval.generators.baseline.senses import sense_of
from du_eval.generators.baseline.text import STOP_WORDS, stem, words

Scores = npt.NDArray[np.float64]
Bag = Mapping[str, float]
_STOP_WORD, _SENSE = 0.4, 1.0
"""What a function word, and the sense of a word, weigh beside a word of content."""
_SHORTEST, _LONGEST = 2, 4


def bag_of_words(text: str) -> Bag:
    """Return the stems of a text and their senses, with weights."""
    bag: defaultdict[str, float] = defaultdict(float)
    for word in words(text):
        stemmed = stem(word)
        if word in STOP_WORDS:
            bag[stemmed] += _STOP_WORD
            continue
        bag[stemmed] += 1
        if sense := sense_of(stemmed):
            bag[sense] += _SENSE
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
        square = 0.0
        for term, weight in self._to_bag(text).items():
            value = _damp(weight) * self._rarity.get(term, self._unseen)
            square += value * value
            if term in self._postings:
                numbers, values = self._postings[term]
                scores[numbers] += value * values
        return scores / math.sqrt(square) if square else scores


def _rate(texts: int, count: int) -> float:
    """Return the weight of a term that so many texts have; the root keeps rare words from deciding alone."""
    return math.sqrt(math.log((1 + texts) / (1 + count)) + 1)


def _damp(weight: float) -> float:
    return weight if weight <= 1 else 1 + math.log(weight)
