"""What the tester tells and asks: a fact as a template, and as drawn for one dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.errors import InputError, Problem
from du_eval.perturbations.words import guess_language

CATEGORIES = ("QA", "CO", "IA", "IQ")


class Fact(Struct, frozen=True):
    """A fact with places for values; closed ones have a yes and a no form, or a fixed answer."""

    id: int
    category: str
    about: str = ""
    closed: bool = False
    pool: str = ""
    """The values to draw from; empty for a fixed answer."""
    answer: str = ""
    accepted: tuple[str, ...] = ()
    """Further answers that are right."""
    open: str = ""
    """What a reading model looks for in a reply."""
    information: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    plain: str = ""
    """The same without a need of context: an information (IA) or a question (IQ)."""
    competing: str = ""
    update: str = ""
    file: str = ""
    line: int = 0


class DrawnFact(Struct, frozen=True):
    """A fact with its values: what is said in one dialogue, and what is right."""

    id: int
    category: str
    closed: bool
    answer: str
    """The right answer; `yes` or `no` for a closed question."""
    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    open: str = ""
    information: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    plain: str = ""
    competing: str = ""
    other: str = ""
    update: str = ""
    updated: str = ""

    def apply_update(self) -> DrawnFact:
        """Return the fact as it is after its update: the old answer is wrong now."""
        wrong = tuple(value for value in (*self.rejected, self.answer) if value != self.updated)
        return replace(self, answer=self.updated, accepted=(self.updated,), rejected=wrong)

    def as_document(self) -> dict[str, object]:
        """Return the fact in the form of saved conversations."""
        return {
            "test": self.category,
            "id": self.id,
            "directed": self.closed,
            "QA": None if self.closed else self.open,
            "answer": (self.answer == "yes") if self.closed else self.answer,
            "information": list(self.information),
            "question": list(self.questions),
            "accepted": list(self.accepted),
            "rejected": list(self.rejected),
        }

    @classmethod
    def from_document(cls, data: Mapping[str, Any]) -> DrawnFact:
        """Read the form of saved conversations."""
        closed = bool(data.get("directed"))
        answer = data.get("answer", "")
        said = ("yes" if answer in {True, "yes", "Yes"} else "no") if closed else str(answer or "")
        return cls(
            id=int(data["id"]),
            category=str(data.get("test", "QA")),
            closed=closed,
            answer=said,
            accepted=tuple(data.get("accepted") or ([] if closed or not said else [said])),
            rejected=tuple(data.get("rejected") or ()),
            open=str(data.get("QA") or ""),
            information=tuple(data.get("information") or ()),
            questions=tuple(data.get("question") or ()),
        )


class FactBook(Struct, frozen=True):
    """All facts that a run may use, and the values to draw from."""

    facts: tuple[Fact, ...]
    pools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    language: str = "en"

    def of(self, category: str) -> tuple[Fact, ...]:
        """Return the facts of a category."""
        return tuple(fact for fact in self.facts if fact.category == category)

    def adding(self, other: FactBook) -> FactBook:
        """Return both books as one; pools of the other book win."""
        return FactBook(self.facts + other.facts, {**self.pools, **other.pools}, self.language)


def draw_fact(fact: Fact, book: FactBook, random: Random, used: set[str] | None = None) -> DrawnFact:
    """Return the fact with random values; values in `used` are avoided, and the new ones are added to it."""
    if fact.closed:
        return _drawn_closed(fact, random)
    try:
        return _drawn_open(fact, book, random, used)
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        message = f"fact {fact.id} cannot be filled with values: {error}"
        raise InputError(
            Problem(fact.file, fact.line, message, "run du-eval quality lint for details")
        ) from error


def _drawn_open(fact: Fact, book: FactBook, random: Random, used: set[str] | None) -> DrawnFact:
    values = _values(fact, book, random, used if used is not None else set())

    def fill(text: str) -> str:
        return text.format_map(values)

    other, new = values.get("other", ""), values.get("new", "")
    return DrawnFact(
        id=fact.id,
        category=fact.category,
        closed=False,
        answer=values.get("value", fact.answer),
        accepted=tuple(filter(None, (values.get("value", fact.answer), *map(fill, fact.accepted)))),
        rejected=tuple(value for value in book.pools.get(fact.pool, ()) if value != values["value"]),
        open=fact.open,
        information=tuple(map(fill, fact.information)),
        questions=tuple(map(fill, fact.questions)),
        context=tuple(map(fill, fact.context)),
        plain=fill(fact.plain),
        competing=fill(fact.competing),
        other=other,
        update=fill(fact.update),
        updated=new,
    )


def _drawn_closed(fact: Fact, random: Random) -> DrawnFact:
    answer = fact.answer or random.choice(("yes", "no"))
    told = fact.information or (fact.yes if answer == "yes" else fact.no)
    return DrawnFact(
        id=fact.id,
        category=fact.category,
        closed=True,
        answer=answer,
        open=fact.open,
        information=told,
        questions=fact.questions,
        context=fact.context,
        plain=with_negation(fact.plain, is_negated=answer == "no"),
    )


def with_negation(text: str, *, is_negated: bool) -> str:
    """Return a text with its place for a negation filled, in its own language."""
    word = " не" if guess_language(text) == "ru" else " not"
    return text.replace("{not}", word if is_negated else "")


def _values(fact: Fact, book: FactBook, random: Random, used: set[str]) -> dict[str, str]:
    """Return different values for the fact, its competitor and its update."""
    if not fact.pool:
        return {}
    pool = book.pools[fact.pool]
    free = [value for value in pool if value not in used]
    names = ("value", "other", "new")
    chosen = random.sample(free if len(free) >= len(names) else list(pool), len(names))
    used.update(chosen)
    return dict(zip(names, chosen, strict=True))
