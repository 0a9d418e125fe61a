"""Whole words changed: in disorder, left out, replaced, too many, in another case."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random

from msgspec import Struct, field

from du_eval.perturbations.base import (
    Perturbed,
    choose_places,
    count_words,
    find_free_places,
    split_word,
    split_words,
)
from du_eval.statistics.distance import inversions

_DATA = "du_eval.perturbations.data"


def guess_language(text: str) -> str:
    """Return `ru` for a text with Cyrillic letters, `en` otherwise."""
    return "ru" if any("а" <= letter <= "я" for letter in text.casefold()) else "en"


def random_words(text: str) -> tuple[str, ...]:
    """Return everyday words of the language of a text."""
    return _words(guess_language(text))


def synonyms(text: str) -> Mapping[str, tuple[str, ...]]:
    """Return the synonyms of words, in the language of a text."""
    return _synonyms(guess_language(text))


def fillers(text: str) -> tuple[str, ...]:
    """Return words that are said while thinking, in the language of a text."""
    return _fillers(guess_language(text))


@cache
def _fillers(language: str) -> tuple[str, ...]:
    return tuple(files(_DATA).joinpath(f"fillers_{language}.txt").read_text(encoding="utf-8").splitlines())


@cache
def _words(language: str) -> tuple[str, ...]:
    return tuple(files(_DATA).joinpath(f"words_{language}.txt").read_text(encoding="utf-8").split())


@cache
def _synonyms(language: str) -> Mapping[str, tuple[str, ...]]:
    """Read groups of synonyms, one a line; each word of a group gets the others."""
    table: dict[str, tuple[str, ...]] = {}
    for line in files(_DATA).joinpath(f"synonyms_{language}.txt").read_text(encoding="utf-8").splitlines():
        group = [word.strip() for word in line.split(",") if word.strip()]
        for word in group:
            others = tuple(other for other in group if other != word)
            table[word] = table.get(word, ()) + others
    return table


class RandomCase(Struct, frozen=True):
    """Writes a share of the words in capitals, in small letters, or the other way round."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text in another case; the level is the share of words that look different."""
        words = split_words(text)
        places = [place for place in find_free_places(words, protected) if _forms(words[place])]
        places = choose_places(places, count_words(level, len(words)), random)
        changed = list(words)
        for place in places:
            changed[place] = random.choice(_forms(words[place]))
        return Perturbed(" ".join(changed), _share(places, words), _SHARE, level, tuple(places))


def _forms(word: str) -> list[str]:
    """Return the other ways to write a word, without those that have another length (ß becomes SS)."""
    forms = dict.fromkeys((word.upper(), word.lower(), word.swapcase(), word.capitalize()))
    return [form for form in forms if form != word and len(form) == len(word)]


class Fillers(Struct, frozen=True):
    """Puts words that mean nothing before a share of the words."""

    phrases: Sequence[str] = ()
    """What to put in; phrases of the text's language when empty."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text with fillers; the level is their number by the number of words of the text."""
        words = split_words(text)
        places = choose_places(find_free_places(words, protected), count_words(level, len(words)), random)
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
    core = split_word(word)[1]
    is_plain = len(core) > 1 and core[1:].islower() and "'" not in core and "’" not in core
    return word[:1].lower() + word[1:] if is_plain else word


_SHARE = "share of words"


class WordOrder(Struct, frozen=True):
    """Swaps neighbouring words `level` times, never back again."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text in another order; the level is the number of swaps that put it right."""
        words = split_words(text)
        free = set(find_free_places(words, protected))
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


class Omission(Struct, frozen=True):
    """Leaves out a share of the words, but never all of them."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return what is left; the level is the share of words that went."""
        words = split_words(text)
        count = min(count_words(level, len(words)), max(0, len(words) - 1))
        gone = choose_places(find_free_places(words, protected), count, random)
        left = [word for place, word in enumerate(words) if place not in gone]
        return Perturbed(" ".join(left), _share(gone, words), _SHARE, level, tuple(gone))


class RandomReplacement(Struct, frozen=True):
    """Puts random words in the place of a share of the words."""

    vocabulary: Sequence[str] = ()
    """The words to draw from; words of the text's language when empty."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text with strange words; the level is the share of words that were replaced."""
        words = split_words(text)
        places = choose_places(find_free_places(words, protected), count_words(level, len(words)), random)
        pool = self.vocabulary or random_words(text)
        present = {split_word(word)[1].casefold() for word in words}
        fresh = [word for word in pool if word not in present]
        changed = list(words)
        for place in places:
            changed[place] = _replaced(words[place], random.choice(fresh))
        return Perturbed(" ".join(changed), _share(places, words), _SHARE, level, tuple(places))


class SynonymReplacement(Struct, frozen=True):
    """Puts synonyms in the place of a share of the words; a word without a known synonym stays."""

    table: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Word -> synonyms; the packaged table of the text's language when empty."""

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the text in other words; the level is the share of words that were replaced."""
        words = split_words(text)
        table = self.table or synonyms(text)
        known = [place for place in find_free_places(words, protected) if table.get(_core(words[place]))]
        places = choose_places(known, count_words(level, len(words)), random)
        changed = list(words)
        for place in places:
            changed[place] = _replaced(words[place], random.choice(list(table[_core(words[place])])))
        return Perturbed(" ".join(changed), _share(places, words), _SHARE, level, tuple(places))


def with_synonyms(text: str, probability: float, random: Random, protected: Collection[str] = ()) -> str:
    """Return the text, each word that has synonyms replaced by one with a probability: for augmentation."""
    words = split_words(text)
    table = synonyms(text)
    changed = list(words)
    for place in find_free_places(words, protected):
        known = table.get(_core(words[place]))
        if known and random.random() < probability:
            changed[place] = _replaced(words[place], random.choice(list(known)))
    return " ".join(changed)


def _core(word: str) -> str:
    return split_word(word)[1].casefold()


def _replaced(word: str, other: str) -> str:
    before, core, after = split_word(word)
    return before + (other.capitalize() if core[:1].isupper() and len(core) > 1 else other) + after


def _share(places: Sequence[int], words: Sequence[str]) -> float:
    return len(places) / len(words) if words else 0.0
