"""Other user messages: as they come in real life, or taken back, or with another value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assistants.model import CATEGORICAL, Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import CancelFlow, SetSlot, StartFlow
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.generators.base import CommandGenerator, Prediction, Request
from du_eval.perturbations.base import find_free_places, split_words
from du_eval.perturbations.catalogue import LOSSY, with_share
from du_eval.suites.model import ExpectedText, Step, TestCase, TestSuite, UserStep

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


def change_messages(
    suite: TestSuite, kind: str, level: float, reader: ExpectationReader, seed: int = 0
) -> ChangedMessages:
    """Return every message with about a share of its words changed; what the expectation needs stays."""
    texts: dict[Key, str] = {}
    shares: list[float] = []
    for case in suite:
        for step in case.user_steps:
            # The place decides about the randomness, so that a message changes the same way in every run.
            random = Random(f"{seed}|{kind}|{level}|{case.id}|{step.line}")  # noqa: S311 - no secret
            found = with_share(kind, step.text, level, random, list_protected(step, kind, reader))
            texts[case.file, case.name, step.line, step.text] = found.text
            shares.append(found.level)
    return ChangedMessages(texts, sum(shares) / len(shares) if shares else 0.0)


def list_protected(step: UserStep, kind: str, reader: ExpectationReader) -> set[str]:
    """Return the parts of a message that must stay: slot values, numbers, and yes, no and not.

    Where a value does not stand in the message as it is expected, nobody knows which words say it: then no
    word may get lost.
    """
    words = split_words(step.text)
    kept = {word for word in words if any(letter.isdigit() for letter in word)}
    kept |= {word for word in words if _core(word) in _POLAR}
    for value in _values(step, reader):
        if len(find_free_places(words, [value])) < len(find_free_places(words, ())):
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


KINDS = ("cancel", "value-swap")
Places = frozenset[tuple[str, str, int]]
"""File, case and number of the rewritten steps."""
Values = dict[tuple[str, str, str], list[str]]
"""The values of a slot of an assistant, in a language, that users said."""

_TAKEN_BACK = {"en": "no, forget it, let's stop here", "ru": "нет, забудьте, давайте остановимся"}
_ENGLISH = frozenset(
    ("the", "a", "i", "my", "is", "to", "please", "and", "for", "it", "you", "what", "can", "yes", "of")
)
_VAGUE = frozenset(
    ("all", "any", "anything", "both", "every", "everything", "it", "none", "nothing", "other", "same",
     "that", "this", "всё", "все", "любой", "ничего", "другое", "это")
)  # fmt: skip
_SHORTEST, _SHORT = 3, 3


class Rewriter(Struct, frozen=True):
    """Rewrites at most one step a case, and ends the case there; the new expectation is known."""

    reader: ExpectationReader
    spell: Callable[[Command], str]
    seed: int = 0
    assistant_of: Callable[[TestCase], Assistant | None] = lambda _: None
    """Slots of different assistants have nothing to do with each other."""

    def rewrite(self, suite: TestSuite, kind: str) -> tuple[TestSuite, Places]:
        """Return the cases that can be rewritten, and which steps were."""
        values = self._values(suite)
        cases, places = [], set()
        for case in suite:
            random = Random(f"{self.seed}|{kind}|{case.id}")  # noqa: S311 - no secret
            options = list(self._options(case, kind, values, random))
            if options:
                number, index, step = random.choice(options)
                cases.append(replace(case, steps=(*case.steps[:index], step)))
                places.add((case.file, case.name, number))
        return TestSuite(tuple(cases), suite.warnings), frozenset(places)

    def _options(
        self, case: TestCase, kind: str, values: Values, random: Random
    ) -> Iterator[tuple[int, int, UserStep]]:
        number, is_started, language = 0, False, guess_language(case)
        for index, step in enumerate(case.steps):
            if not isinstance(step, UserStep):
                continue
            number += 1
            commands = self.reader.alternatives(step)[0]
            if kind == "cancel":
                found = self._cancelled(step, commands, language) if is_started else None
            else:
                found = self._swapped(step, commands, self._swaps(case, step, values), random)
            if found is not None and len(step.alternatives) == 1:
                yield number, index, found
            is_started = is_started or any(isinstance(command, StartFlow) for command in commands)

    def _swaps(self, case: TestCase, step: UserStep, values: Values) -> dict[str, list[str]]:
        """Return the values by slot that may be swapped in a step.

        A category is often told by more words than its name (`pick it up at a branch`), so it is only swapped
        in messages that hardly say anything else.
        """
        place = self._home(case), guess_language(case)
        is_short = len(step.text.split()) <= _SHORT
        return {
            slot: found
            for (home, language, slot), found in values.items()
            if (home, language) == place and (is_short or not self._is_category(case, slot))
        }

    def _home(self, case: TestCase) -> str:
        assistant = self.assistant_of(case)
        return assistant.path if assistant else ""

    def _is_category(self, case: TestCase, slot: str) -> bool:
        assistant = self.assistant_of(case)
        found = assistant.slots.get(slot) if assistant else None
        return found is not None and found.type == CATEGORICAL

    def _cancelled(self, step: UserStep, commands: tuple[Command, ...], language: str) -> UserStep | None:
        """Return the message taken back, where it only answers a question of a flow."""
        is_answer = bool(commands) and all(isinstance(command, SetSlot) for command in commands)
        if not is_answer or language not in _TAKEN_BACK:
            return None
        text = f"{step.text.rstrip(' .!?')} ... {_TAKEN_BACK[language]}"
        return step._replace(text=text, alternatives=((ExpectedText(self.spell(CancelFlow()), step.line),),))

    def _swapped(
        self, step: UserStep, commands: tuple[Command, ...], values: dict[str, list[str]], random: Random
    ) -> UserStep | None:
        """Return the message with another value of a slot, where the value stands in it once and alone."""
        for command in commands:
            if not isinstance(command, SetSlot) or not _is_swappable(str(command.value)):
                continue
            old, others = str(command.value), [other for other in commands if other is not command]
            if len(_places(old, step.text)) != 1 or any(_shares(old, other) for other in others):
                continue
            said = step.text.casefold()
            fresh = [new for new in values.get(command.slot, ()) if new.casefold() not in said]
            if fresh:
                new = random.choice(fresh)
                expected = [SetSlot(command.slot, new) if one is command else one for one in commands]
                texts = tuple(ExpectedText(self.spell(one), step.line) for one in expected)
                start, end = _places(old, step.text)[0]
                return step._replace(text=step.text[:start] + new + step.text[end:], alternatives=(texts,))
        return None

    def _values(self, suite: TestSuite) -> Values:
        """Return the values of each slot that stand literally in a message of the suite."""
        found: dict[tuple[str, str, str], dict[str, None]] = {}
        for case in suite:
            home, language = self._home(case), guess_language(case)
            for step in case.user_steps:
                for command in self.reader.alternatives(step)[0]:
                    value = str(command.value) if isinstance(command, SetSlot) else ""
                    if isinstance(command, SetSlot) and _is_swappable(value) and _places(value, step.text):
                        found.setdefault((home, language, command.slot), {})[value] = None
        return {key: list(values) for key, values in found.items()}


def guess_language(case: TestCase) -> str:
    """Return `ru` or `en` where the user's words tell, else an empty text."""
    words = {word for step in case.user_steps for word in re.findall(r"\w+", step.text.casefold())}
    if any(re.search("[а-яё]", word) for word in words):
        return "ru"
    return "en" if words & _ENGLISH and all(word.isascii() for word in words) else ""


def _is_swappable(value: str) -> bool:
    """Tell whether a value is long enough to be itself, and names something."""
    return len(value) >= _SHORTEST and value.casefold() not in _VAGUE


def _shares(value: str, command: Command) -> bool:
    """Tell whether another command is about the same words."""
    if not isinstance(command, SetSlot) or command.value is None:
        return False
    other = str(command.value).casefold()
    return other in value.casefold() or value.casefold() in other


def _places(value: str, text: str) -> list[tuple[int, int]]:
    """Return where a value stands in a text as a whole, and not as a part of a number or word."""
    found = []
    for match in re.finditer(re.escape(value), text):
        before, after = text[: match.start()][-1:], text[match.end() :][:1]
        if not _goes_on(before, value[0]) and not _goes_on(value[-1], after):
            found.append(match.span())
    return found


def _goes_on(one: str, other: str) -> bool:
    return (one.isdigit() and other.isdigit()) or (one.isalpha() and other.isalpha())
