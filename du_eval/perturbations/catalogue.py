"""All perturbations by name, with one kind of level: the share of words that change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from random import Random

from du_eval.perturbations.base import Perturbation, Perturbed, split_words
from du_eval.perturbations.typos import Typos
from du_eval.perturbations.words import (
    Fillers,
    Omission,
    RandomCase,
    RandomReplacement,
    SynonymReplacement,
    WordOrder,
)
from du_eval.plugins import PlugIns

PERTURBATIONS: Mapping[str, Perturbation] = PlugIns(
    "perturbations",
    {
        "typos": Typos(),
        "swaps": WordOrder(),
        "drops": Omission(),
        "replace": RandomReplacement(),
        "synonyms": SynonymReplacement(),
        "case": RandomCase(),
        "fillers": Fillers(),
    },
)
"""Ours, and those of installed packages, whose level is a share of words."""
_COUNTED = {"typos": 1, "swaps": 2}
"""Perturbations whose level is a number of changes, and how many words a change moves."""
LOSSY = frozenset({"drops", "replace"})
"""Perturbations after which a word that mattered may be gone."""


def with_share(
    name: str, text: str, share: float, random: Random, protected: Collection[str] = ()
) -> Perturbed:
    """Return a text with about a share of its words changed; the level is the share that really was.

    Short texts are changed now and then, so that the mean over many texts is the share that was asked for.
    """
    count = len(split_words(text))
    size = _COUNTED.get(name, 1)
    whole, rest = divmod(share * count / size, 1)
    changes = int(whole) + (random.random() < rest)
    if not changes:
        return Perturbed(text, 0.0, "share of words", share)
    level = changes if name in _COUNTED else changes / count
    found = PERTURBATIONS[name](text, level, random, protected)
    if not found.changed:
        return Perturbed(text, 0.0, "share of words", share)
    return Perturbed(found.text, len(found.changed) / count, "share of words", share, found.changed)
