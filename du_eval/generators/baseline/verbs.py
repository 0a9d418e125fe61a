"""What a verb does with its object.

Two flows often differ in nothing but the verb: one makes, one undoes, one changes, one shows the same thing.
"""

from __future__ import annotations

from functools import cache

from du_eval.generators.baseline.tables import read_table
from du_eval.text.words import stem, words

_VERB_CLASSES = ("show", "change", "undo", "make")
_HEAD = 3


@cache
def _verbs() -> dict[str, str]:
    tables = read_table("words.txt")
    return {stem(word): name for name in _VERB_CLASSES for line in tables[name] for word in line.split()}


def find_verb_classes(text: str) -> frozenset[str]:
    """Return the classes of all verbs in a text."""
    return frozenset(name for word in words(text) if (name := _verbs().get(stem(word))))


def find_head_class(*texts: str) -> str | None:
    """Return the class of the first verb near the beginning of the texts, the first text first."""
    for text in texts:
        found = (_verbs().get(stem(word)) for word in words(text)[:_HEAD])
        if name := next((name for name in found if name), None):
            return name
    return None
