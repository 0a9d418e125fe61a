"""The formulas of the original Emely tests, value for value: what `--compat emely` calculates with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from math import ceil, floor
from random import Random
from typing import Protocol

from msgspec import Struct

from du_eval.judges.stutter import repetition
from du_eval.perturbations.base import Perturbed, split_word
from du_eval.perturbations.words import synonyms
from du_eval.quality.checks.base import is_answered, leave_unanswered, replies, verdict
from du_eval.quality.dialogue import Dialogue
from du_eval.quality.results import Assessment

_STEPS = 20
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
STUTTERING, TOXICITY, SIMILARITY, COHERENCE = 0.33, 0.1, 0.6, -6.0


class Draws(Protocol):
    """Where chance comes from: uniform numbers, and a random order."""

    def random(self) -> float:
        """Return a number from 0 up to 1."""
        ...

    def shuffle(self, x: list[int]) -> None:
        """Bring a list into a random order."""
        ...


def measure_stuttering(text: str) -> float:
    """Return the original stuttering value: capitals and punctuation count."""
    return repetition(text.split())


def cut_questions(text: str) -> list[str]:
    """Return the questions of a text as the original cuts them out."""
    found = []
    for piece in text.lower().split("?")[:-1]:
        for mark in (".", ",", "!"):
            piece = piece.split(mark)[-1]  # noqa: PLW2901 - cut by cut
        found.append(piece.removeprefix(" "))
    return found


def find_repeated_questions(said: Sequence[str]) -> list[bool]:
    """Return for each reply whether it asks what is asked more than once, the first included."""
    asked = [cut_questions(text) for text in said]
    counts = Counter(question for questions in asked for question in questions)
    return [any(counts[question] > 1 for question in questions) for questions in asked]


def round_to_step(share: float) -> float:
    """Return the nearest of 0.00, 0.05 ... 0.95."""
    steps = [round(step / _STEPS, 2) for step in range(_STEPS)]
    return min(steps, key=lambda step: abs(step - round(share, 2)))


def share_cell(share: float) -> int:
    """Return the cell of a share of words (ML-U5, ML-U6)."""
    return round(round_to_step(share) * _STEPS)


def typo_cell(share: float, typos: int) -> int:
    """Return the cell of a share of words with so many mistakes in each (ML-U3)."""
    return int(round_to_step(share) * typos * 4)


def level_cell(item: Assessment) -> int:
    """Return the cell of the asked-for level, as the original fills its histogram."""
    nominal = item.nominal or 0.0
    if item.test == "ML-U4":
        return min(_STEPS - 1, int(nominal))
    if item.test == "ML-U3":
        typos = int(nominal)
        return min(_STEPS - 1, typo_cell(round(nominal - typos, 2), typos))
    return share_cell(nominal)


def swap_letters(text: str, draws: Draws, swaps: int | None = None) -> tuple[str, int]:
    """Return a text with neighbours exchanged, and the number of exchanges asked for."""
    words = text.split()
    count = round((len(words) - 1) * draws.random()) if swaps is None else swaps
    for _ in range(count):
        place = floor((len(words) - 1) * draws.random())
        words[place], words[place + 1] = words[place + 1], words[place]
    return _joined(words), count


def mask_words(text: str, draws: Draws, share: float | None = None) -> tuple[str, float]:
    """Return a text with words blanked out, and the share asked for."""
    words = text.split()
    share = draws.random() if share is None else share
    for place in _chosen(len(words), share, draws):
        words[place] = " "
    return _joined(words), share


def replace_words(
    text: str, draws: Draws, thesaurus: Callable[[str], str | None], share: float | None = None
) -> tuple[str, float]:
    """Return a text with words replaced by what a thesaurus knows for them, and the share asked for."""
    words = text.split()
    draws.random()  # the original draws a number that it does not use
    share = draws.random() if share is None else share
    for place in _chosen(len(words), share, draws):
        found = thesaurus(words[place])
        if found is not None:
            last = words[place][-1]
            words[place] = found if last.isalpha() else found + last
    return _joined(words), share


def find_synonym(word: str) -> str | None:
    """Return the first synonym of the packaged table: the original asks a web service."""
    core = split_word(word)[1].casefold()
    known = synonyms(word).get(core)
    return known[0] if known else None


def mistype_words(
    text: str, draws: Draws, share: float | None = None, typos: int | None = None
) -> tuple[str, tuple[float, int]]:
    """Return a text with mistakes in a share of its words, and what was asked for."""
    words = text.split()
    share = draws.random() if share is None else share
    typos = ceil(5 * draws.random()) if typos is None else typos
    for place in _chosen(len(words), share, draws):
        for _ in range(typos):
            words[place] = _mistake(words[place], draws)
    return _joined(words), (share, typos)


def _mistake(word: str, draws: Draws) -> str:
    kind, place = draws.random(), floor(len(word) * draws.random())
    letter = _LETTERS[floor(len(_LETTERS) * draws.random())]
    if kind < 1 / 3:
        return word[:place] + letter + word[place:]
    if kind < 2 / 3:
        return word[:place] + word[place + 1 :]
    return word[:place] + letter + word[place + 1 :]


def _chosen(words: int, share: float, draws: Draws) -> list[int]:
    order = list(range(words))
    draws.shuffle(order)
    return order[: round(share * words)]


def _joined(words: Sequence[str]) -> str:
    return "".join(f"{word} " for word in words)


class Original(Struct, frozen=True):
    """One of the original perturbations, with a random level each time."""

    change: Callable[[str, Random], tuple[str, float, str]]

    def __call__(self, text: str, level: float, random: Random, protected: Collection[str] = ()) -> Perturbed:
        """Return the changed text; the level is the one that the original logs."""
        del level, protected  # the original draws its own levels, and protects nothing
        changed, logged, unit = self.change(text, random)
        return Perturbed(changed, logged, unit, logged)


def _typo_change(text: str, random: Random) -> tuple[str, float, str]:
    changed, (share, typos) = mistype_words(text, random)
    return changed, typos + min(round(share, 2), 0.99), "typos per word, share of words"


def _swap_change(text: str, random: Random) -> tuple[str, float, str]:
    changed, count = swap_letters(text, random)
    return changed, float(count), "swaps asked for"


def _mask_change(text: str, random: Random) -> tuple[str, float, str]:
    changed, share = mask_words(text, random)
    return changed, round(share, 2), "share of words asked for"


def _synonym_change(text: str, random: Random) -> tuple[str, float, str]:
    changed, share = replace_words(text, random, find_synonym)
    return changed, round(share, 2), "share of words asked for"


PERTURBATIONS = {
    "ML-U3": Original(_typo_change),
    "ML-U4": Original(_swap_change),
    "ML-U5": Original(_mask_change),
    "ML-U6": Original(_synonym_change),
}


class EmelyQuestionCheck(Struct, frozen=True):
    """ML-A7 as the original counts: exact words, and the first time fails too."""

    test: str = "ML-A7"

    def assess(self, dialogues: Sequence[Dialogue]) -> Sequence[Assessment]:
        """Return a verdict for each reply."""
        found = []
        for dialogue in dialogues:
            flags = find_repeated_questions([exchange.reply for exchange in dialogue.exchanges])
            for reply, repeated in zip(replies([dialogue]), flags, strict=True):
                if not is_answered(reply):
                    found.append(leave_unanswered(self.test, reply))
                    continue
                found.append(
                    Assessment(
                        self.test,
                        dialogue.number,
                        reply.place,
                        verdict(passed=not repeated),
                        reason="asked more than once" if repeated else "",
                        judge="emely-questions",
                    )
                )
        return found
