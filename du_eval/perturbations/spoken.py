"""Texts as they are typed in a hurry or written down from speech: wrong case, words too many."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from du_eval.perturbations.base import Perturbed, chosen, count_of, free_places, parts_of, words_of
from du_eval.perturbations.vocabulary import fillers

_SHARE = "share of words"


@dataclass(frozen=True, slots=True)
class RandomCase:
    """Writes a share of the words in capitals, in small letters, or the other way round."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text in another case; the level is the share of words that look different."""
        words = words_of(text)
        places = [place for place in free_places(words, protected) if _forms(words[place])]
        places = chosen(places, count_of(level, len(words)), random)
        changed = list(words)
        for place in places:
            changed[place] = random.choice(_forms(words[place]))
        return Perturbed(" ".join(changed), _share(places, words), _SHARE, level, tuple(places))


def _forms(word: str) -> list[str]:
    """Return the other ways to write a word, without those that have another length (ß becomes SS)."""
    forms = dict.fromkeys((word.upper(), word.lower(), word.swapcase(), word.capitalize()))
    return [form for form in forms if form != word and len(form) == len(word)]


@dataclass(frozen=True, slots=True)
class Fillers:
    """Puts words that mean nothing before a share of the words."""

    phrases: Sequence[str] = ()
    """What to put in; phrases of the text's language when empty."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text with fillers; the level is their number by the number of words of the text."""
        words = words_of(text)
        places = chosen(free_places(words, protected), count_of(level, len(words)), random)
        pool = self.phrases or fillers(text)
        changed: list[str] = []
        for place, word in enumerate(words):
            if place in places:
                filler = random.choice(pool)
                changed.append(f"{_like(word, filler) if place == 0 else filler},")
            changed.append(_small(word) if place == 0 and place in places else word)
        return Perturbed(" ".join(changed), _share(places, words), _SHARE, level, tuple(places))


def _like(word: str, filler: str) -> str:
    return filler.capitalize() if word[:1].isupper() else filler


def _small(word: str) -> str:
    """Return a word that no longer begins the text; I, names in capitals and the like stay."""
    core = parts_of(word)[1]
    is_plain = len(core) > 1 and core[1:].islower() and "'" not in core and "’" not in core
    return word[:1].lower() + word[1:] if is_plain else word


def _share(places: Sequence[int], words: Sequence[str]) -> float:
    return len(places) / len(words) if words else 0.0
