"""How each test on facts is conducted: what is told and asked, in which order and how far apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Protocol, runtime_checkable

from msgspec import Struct, field

from du_eval.perturbations.base import Perturbation
from du_eval.perturbations.typos import Typos
from du_eval.perturbations.words import Omission, RandomReplacement, WordOrder
from du_eval.quality.dialogue import Line, LineRole
from du_eval.quality.facts.model import DrawnFact

NEVER_TOLD, UPDATED, COMPETING, PLAIN = "never told", "updated", "competing", "plain"


class Script(Protocol):
    """A test that is injected into a dialogue; a test of your own is one more of these."""

    @property
    def code(self) -> str:
        """The name of the test."""
        ...

    @property
    def category(self) -> str:
        """The category of facts that it needs."""
        ...

    def lines(self, fact: DrawnFact, random: Random) -> Sequence[Line]:
        """Return what is said about a fact."""
        ...


@runtime_checkable
class TwinScript(Protocol):
    """A test whose control cannot be in the same conversation: it is held in a twin, on the same fact."""

    def twin(self, fact: DrawnFact, lines: Sequence[Line], random: Random) -> Sequence[Line]:
        """Return what the twin says about a fact, given what its first says; nothing for no twin."""
        ...


class PerturbedScript(Struct, frozen=True):
    """ML-U3 to ML-U6: tells a fact, asks with a difficulty at some levels and once without."""

    code: str
    perturbation: Perturbation
    levels: Sequence[float]
    questions: int = 2
    category: str = "QA"

    def lines(self, fact: DrawnFact, random: Random) -> Sequence[Line]:
        """Return the information and the questions; the control asks the same words unperturbed."""
        question = random.choice(fact.questions)
        asked = [Line(question, LineRole.CONTROL, level=0.0, nominal=0.0)]
        for level in random.sample(list(self.levels), min(self.questions, len(self.levels))):
            changed = self.perturbation(question, level, random)
            asked.append(
                Line(changed.text, LineRole.QUESTION, level=changed.level, nominal=level, unit=changed.unit)
            )
        random.shuffle(asked)
        return [Line(random.choice(fact.information), LineRole.INFORMATION), *asked]


class Memory(Struct, frozen=True):
    """ML-I1: asks some turns later, sometimes after an update, with a competitor, or without having told."""

    longest: int = 8
    untold: float = 0.15
    code: str = "ML-I1"
    category: str = "QA"

    def lines(self, fact: DrawnFact, random: Random) -> Sequence[Line]:
        """Return the information and, at a distance, the question."""
        wait = random.randint(1, self.longest)
        question = fact.questions[0]
        if random.random() < self.untold:
            return [Line(question, LineRole.CONTROL, variant=NEVER_TOLD)]
        variant = random.choice([PLAIN, PLAIN, *self._variants(fact)])
        told = [Line(fact.information[0], LineRole.INFORMATION)]
        if variant == COMPETING:
            told.append(Line(fact.competing, LineRole.COMPETING))
        if variant == UPDATED:
            told.append(Line(fact.update, LineRole.UPDATE))
        return [*told, Line(question, LineRole.QUESTION, wait=wait, variant=variant)]

    def _variants(self, fact: DrawnFact) -> list[str]:
        return [name for name, text in ((COMPETING, fact.competing), (UPDATED, fact.update)) if text]


class OtherInformation(Struct, frozen=True):
    """ML-I4: tells in other words; a twin conversation tells the same fact in the first words, as control."""

    code: str = "ML-I4"
    category: str = "QA"

    def lines(self, fact: DrawnFact, random: Random) -> Sequence[Line]:
        """Return the information and the first question."""
        return self._lines(fact, random, is_control=not fact.information[1:] or random.random() < 0.5)

    def twin(self, fact: DrawnFact, lines: Sequence[Line], random: Random) -> Sequence[Line]:
        """Return the other side: a control for a question, and the other way round."""
        if not fact.information[1:]:
            return ()
        return self._lines(fact, random, is_control=lines[-1].role is LineRole.QUESTION)

    def _lines(self, fact: DrawnFact, random: Random, *, is_control: bool) -> Sequence[Line]:
        told = fact.information[0] if is_control else random.choice(fact.information[1:])
        role = LineRole.CONTROL if is_control else LineRole.QUESTION
        return [Line(told, LineRole.INFORMATION), Line(fact.questions[0], role)]


class OtherQuestion(Struct, frozen=True):
    """ML-I5: asks in other words and, as control, in the first words."""

    code: str = "ML-I5"
    category: str = "QA"

    def lines(self, fact: DrawnFact, random: Random) -> Sequence[Line]:
        """Return the first information and both questions in random order."""
        asked = [Line(fact.questions[0], LineRole.CONTROL)]
        if fact.questions[1:]:
            asked.append(Line(random.choice(fact.questions[1:]), LineRole.QUESTION))
        random.shuffle(asked)
        return [Line(fact.information[0], LineRole.INFORMATION), *asked]


class InformationInContext(Struct, frozen=True):
    """ML-I6: tells what only a context explains, in one utterance or in two; a twin tells it plainly."""

    code: str = "ML-I6"
    category: str = "IA"

    def lines(self, fact: DrawnFact, random: Random) -> Sequence[Line]:
        """Return context, information and question, or the control."""
        return self._plain(fact) if fact.plain and random.random() < 0.5 else self._in_context(fact, random)

    def twin(self, fact: DrawnFact, lines: Sequence[Line], random: Random) -> Sequence[Line]:
        """Return the other side: a control for a question, and the other way round."""
        if not fact.plain:
            return ()
        return self._plain(fact) if lines[-1].role is LineRole.QUESTION else self._in_context(fact, random)

    def _plain(self, fact: DrawnFact) -> Sequence[Line]:
        return [Line(fact.plain, LineRole.INFORMATION), Line(fact.questions[0], LineRole.CONTROL)]

    def _in_context(self, fact: DrawnFact, random: Random) -> Sequence[Line]:
        told, question = random.choice(fact.information), fact.questions[0]
        if not fact.context:
            return [Line(told, LineRole.INFORMATION), Line(question, LineRole.QUESTION)]
        context = random.choice(fact.context)
        if random.random() < 0.5:
            together = Line(f"{context} {told}", LineRole.INFORMATION, variant="same turn")
            return [together, Line(question, LineRole.QUESTION, variant="same turn")]
        return [
            Line(context, LineRole.CONTEXT),
            Line(told, LineRole.INFORMATION),
            Line(question, LineRole.QUESTION, variant="own turn"),
        ]


class QuestionInContext(Struct, frozen=True):
    """ML-I7: asks what can be understood only with a context and, as control, without a need of it."""

    code: str = "ML-I7"
    category: str = "IQ"

    def lines(self, fact: DrawnFact, random: Random) -> Sequence[Line]:
        """Return information, context with question, and the plain question, in random order."""
        context = f"{random.choice(fact.context)} " if fact.context else ""
        asked = [Line(f"{context}{random.choice(fact.questions)}", LineRole.QUESTION)]
        if fact.plain:
            asked.append(Line(fact.plain, LineRole.CONTROL))
        random.shuffle(asked)
        return [Line(random.choice(fact.information), LineRole.INFORMATION), *asked]


class OwnInformation(Struct, frozen=True):
    """ML-I13: asks the bot about itself several times; the first answer is the reference."""

    times: int = 3
    longest: int = 4
    code: str = "ML-I13"
    category: str = "CO"

    def lines(self, fact: DrawnFact, random: Random) -> Sequence[Line]:
        """Return the questions, each in other words where there are any."""
        words = random.sample(fact.questions, len(fact.questions))
        asked = [words[time % len(words)] for time in range(self.times)]
        later = [Line(text, LineRole.QUESTION, wait=random.randint(1, self.longest)) for text in asked[1:]]
        return [Line(asked[0], LineRole.REFERENCE), *later]


LEVELS: Mapping[str, tuple[float, ...]] = {
    "ML-U3": (1, 2, 4, 7),
    "ML-U4": (1, 2, 4),
    "ML-U5": (0.15, 0.3, 0.5),
    "ML-U6": (0.15, 0.3, 0.5),
}


class ScriptSettings(Struct, frozen=True):
    """What can be set about the tests on facts."""

    longest_memory: int = 8
    levels: Mapping[str, Sequence[float]] = field(default_factory=dict)
    keyboard: str = ""


def scripts(settings: ScriptSettings) -> tuple[Script, ...]:
    """Return the ten tests on facts, in the order of the document."""
    levels = {**LEVELS, **settings.levels}
    return (
        Memory(settings.longest_memory),
        OtherInformation(),
        OtherQuestion(),
        InformationInContext(),
        QuestionInContext(),
        OwnInformation(),
        PerturbedScript("ML-U3", Typos(settings.keyboard), levels["ML-U3"]),
        PerturbedScript("ML-U4", WordOrder(), levels["ML-U4"]),
        PerturbedScript("ML-U5", Omission(), levels["ML-U5"]),
        PerturbedScript("ML-U6", RandomReplacement(), levels["ML-U6"]),
    )
