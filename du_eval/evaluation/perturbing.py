"""User messages of a suite as they come in real life: what each becomes, and who is asked about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from du_eval.commands.flows import SetSlot
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.generators.base import CommandGenerator, Prediction, Request
from du_eval.perturbations.base import free_places, words_of
from du_eval.perturbations.catalogue import LOSSY, with_share
from du_eval.suites.model import Step, TestSuite, UserStep

Key = tuple[str, str, int, str]
"""File, case and line of a step, and what it says."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_POLAR = frozenset(
    ("yes", "yeah", "yep", "no", "nope", "not", "never", "none", "nothing", "without", "cannot", "can't",
     "don't", "dont", "won't", "doesn't", "isn't", "да", "нет", "не", "ни", "никогда", "ничего", "без")
)  # fmt: skip


class ChangedMessages(Struct, frozen=True):
    """What the messages of a suite become, and by how much they really change."""

    texts: Mapping[Key, str]
    realised: float
    """The mean share of words that were changed."""


def changed_messages(
    suite: TestSuite, kind: str, level: float, reader: ExpectationReader, seed: int = 0
) -> ChangedMessages:
    """Return every message with about a share of its words changed; what the expectation needs stays."""
    texts: dict[Key, str] = {}
    shares: list[float] = []
    for case in suite:
        for step in case.user_steps:
            # The place decides about the randomness, so that a message changes the same way in every run.
            random = Random(f"{seed}|{kind}|{level}|{case.id}|{step.line}")  # noqa: S311 - no secret
            found = with_share(kind, step.text, level, random, protected(step, kind, reader))
            texts[case.file, case.name, step.line, step.text] = found.text
            shares.append(found.level)
    return ChangedMessages(texts, sum(shares) / len(shares) if shares else 0.0)


def protected(step: UserStep, kind: str, reader: ExpectationReader) -> set[str]:
    """Return the parts of a message that must stay: slot values, numbers, and yes, no and not.

    Where a value does not stand in the message as it is expected, nobody knows which words say it: then no
    word may get lost.
    """
    words = words_of(step.text)
    kept = {word for word in words if any(letter.isdigit() for letter in word)}
    kept |= {word for word in words if _core(word) in _POLAR}
    for value in _values(step, reader):
        if len(free_places(words, [value])) < len(free_places(words, ())):
            kept.add(value)
            continue
        parts = [word for word in _WORD.findall(value) if _says(words, word)]
        kept.update(parts)
        if kind in LOSSY and not parts:
            return set(words)
    return kept


def _values(step: UserStep, reader: ExpectationReader) -> set[str]:
    return {
        str(command.value)
        for group in reader.alternatives(step)
        for command in group
        if isinstance(command, SetSlot) and command.value is not None
    }


def _core(word: str) -> str:
    found = _WORD.search(word)
    return found[0].casefold().replace("’", "'") if found else ""


def _says(words: list[str], part: str) -> bool:
    return any(_core(word) == part.casefold() for word in words)


def with_messages(suite: TestSuite, changed: ChangedMessages) -> TestSuite:
    """Return the suite with the changed messages, also where they are history of later steps."""
    cases = []
    for case in suite:
        steps: list[Step] = [
            step._replace(text=changed.texts[case.file, case.name, step.line, step.text])
            if isinstance(step, UserStep)
            else step
            for step in case.steps
        ]
        cases.append(replace(case, steps=tuple(steps)))
    return TestSuite(tuple(cases), suite.warnings)


class ChangedGenerator(Struct, frozen=True):
    """Asks a generator about changed messages; the history before them is the one of the file."""

    generator: CommandGenerator
    changed: ChangedMessages

    async def generate(self, request: Request) -> Prediction:
        """Return the answer to the changed message."""
        place = request.place
        key = place.file, place.case, place.line, request.message
        message = self.changed.texts.get(key, request.message)
        return await self.generator.generate(replace(request, message=message))
