"""User messages as they come in real life: mistyped, in disorder, incomplete, with words too many."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from du_eval.suites.model import Step, TestSuite, UserStep

_CORE = re.compile(r"\w+(?:['’-]\w+)*")
_FILLERS = ("uh", "um", "well", "like", "so", "hmm", "er")
_NEIGHBOURS = dict(
    zip("abcdefghijklmnopqrstuvwxyz", "snvfrdghojklknipaswrtuvgdexctx"[:26], strict=True)
)  # one neighbour on the keyboard is enough for a slip

Words = list[str]
Change = Callable[[Words, Sequence[int], Random, Sequence[str]], Words]


@dataclass(frozen=True, slots=True)
class PerturbedSuite:
    """A suite whose user messages were changed, and by how much they really were."""

    suite: TestSuite
    realised: float
    """The mean share of words that were changed."""


def perturbed(
    suite: TestSuite, kind: str, level: float, protected: Callable[[UserStep], Collection[str]], seed: int = 0
) -> PerturbedSuite:
    """Return the suite with about a share of the words of each message changed; protected values stay."""
    vocabulary = sorted({word for case in suite for step in case.user_steps for word in step.text.split()})
    shares: list[float] = []
    cases = []
    for case in suite:
        steps: list[Step] = []
        for step in case.steps:
            if isinstance(step, UserStep):
                # The place decides about the randomness, so that a message changes the same way in every run.
                random = Random(f"{seed}|{kind}|{level}|{case.id}|{step.line}")  # noqa: S311 - no secret
                text, share = changed(step.text, _CHANGES[kind], level, random, (protected(step), vocabulary))
                shares.append(share)
                steps.append(step._replace(text=text))
            else:
                steps.append(step)
        cases.append(replace(case, steps=tuple(steps)))
    mean = sum(shares) / len(shares) if shares else 0.0
    return PerturbedSuite(TestSuite(tuple(cases), suite.warnings), mean)


def changed(
    text: str,
    change: Change,
    level: float,
    random: Random,
    protected_and_vocabulary: tuple[Collection[str], Sequence[str]],
) -> tuple[str, float]:
    """Return a text with some of its words changed, and the share of words that were."""
    protected, vocabulary = protected_and_vocabulary
    words = text.split()
    free = free_places(words, protected)
    # Short messages are changed now and then, so that the mean share is the level.
    whole, rest = divmod(level * len(words), 1)
    wanted = min(len(free), int(whole) + (random.random() < rest))
    if not wanted:
        return text, 0.0
    places = sorted(random.sample(free, wanted))
    result = change(list(words), places, random, vocabulary)
    if not result or result == words:
        return text, 0.0
    return " ".join(result), wanted / len(words)


def free_places(words: Sequence[str], protected: Iterable[str]) -> list[int]:
    """Return the places of words that are no part of a protected value."""
    kept = {core.casefold() for value in protected for core in _CORE.findall(value)}
    found = []
    for place, word in enumerate(words):
        cores = [core.casefold() for core in _CORE.findall(word)]
        if cores and not any(core in kept for core in cores) and not any(c.isdigit() for c in word):
            found.append(place)
    return found


def _typos(words: Words, places: Sequence[int], random: Random, _: Sequence[str]) -> Words:
    for place in places:
        word = words[place]
        at = random.randrange(len(word))
        slips = [word[:at] + word[at] + word[at:]]
        if len(word) > 2:
            slips.append(word[:at] + word[at + 1 :])
        if at + 1 < len(word) and word[at] != word[at + 1]:
            slips.append(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
        if word[at].lower() in _NEIGHBOURS:
            slips.append(word[:at] + _NEIGHBOURS[word[at].lower()] + word[at + 1 :])
        words[place] = random.choice(slips)
    return words


def _swaps(words: Words, places: Sequence[int], random: Random, _: Sequence[str]) -> Words:
    del random
    for place in places:
        other = place + 1 if place + 1 < len(words) else place - 1
        if other >= 0:
            words[place], words[other] = words[other], words[place]
    return words


def _drops(words: Words, places: Sequence[int], random: Random, _: Sequence[str]) -> Words:
    del random
    gone = set(places if len(places) < len(words) else places[1:])
    return [word for place, word in enumerate(words) if place not in gone]


def _replace(words: Words, places: Sequence[int], random: Random, vocabulary: Sequence[str]) -> Words:
    for place in places:
        words[place] = random.choice(vocabulary)
    return words


def _case(words: Words, places: Sequence[int], random: Random, _: Sequence[str]) -> Words:
    for place in places:
        word = words[place]
        words[place] = random.choice([form for form in (word.upper(), word.swapcase(), word.lower()) if form])
    return words


def _fillers(words: Words, places: Sequence[int], random: Random, _: Sequence[str]) -> Words:
    for place in reversed(places):
        words.insert(place, random.choice(_FILLERS) + ",")
    return words


_CHANGES: dict[str, Change] = {
    "typos": _typos,
    "swaps": _swaps,
    "drops": _drops,
    "replace": _replace,
    "case": _case,
    "fillers": _fillers,
}
KINDS = tuple(_CHANGES)
