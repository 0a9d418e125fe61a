"""What is wrong with facts: wrong golds, leaks, doubles, and sets that always saying yes would pass."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from random import Random

from msgspec.structs import replace

from du_eval.errors import InputError, Problem
from du_eval.judges.numerals import split_tokens
from du_eval.judges.yes_no_words import NEGATED
from du_eval.quality.facts.model import DrawnFact, Fact, FactBook, draw_fact

_FEWEST_VALUES = 4
_MOST_ON_ONE_SIDE = 0.6
_FEWEST_CLOSED = 4
_PLACE = re.compile(r"\{(\w+)\}")
_PLACES = {"value", "other", "new", "not"}


def lint(book: FactBook) -> list[Problem]:
    """Return what is wrong, in the order of the facts."""
    problems: list[Problem] = []
    for fact in book.facts:
        found = list(_form(fact, book))
        try:
            problems.extend(found or _content(fact, draw_fact(fact, book, Random(0))))
        except InputError as error:
            hint = "a brace belongs to {value}, {other}, {new} or {not}"
            problems.extend(replace(problem, hint=hint) for problem in error.problems)
    return [*problems, *_doubles(book), *_balance(book)]


def _say(fact: Fact, message: str, hint: str = "") -> Problem:
    return Problem(fact.file, fact.line, f"fact {fact.id}: {message}", hint)


def _form(fact: Fact, book: FactBook) -> Iterator[Problem]:
    if fact.pool and fact.pool not in book.pools:
        yield _say(fact, f"the pool '{fact.pool}' does not exist", "add it to `pools`")
    elif fact.pool and len(set(book.pools[fact.pool])) < _FEWEST_VALUES:
        yield _say(fact, f"the pool '{fact.pool}' has fewer than {_FEWEST_VALUES} values")
    unknown = {name for text in _texts(fact) for name in _PLACE.findall(text)} - _PLACES
    if unknown:
        yield _say(fact, f"unknown places {sorted(unknown)}", "choose from {value}, {other}, {new} and {not}")
    if not fact.pool and any(_PLACE.search(text.replace("{not}", "")) for text in _texts(fact)):
        yield _say(fact, "has places for values but no pool", "say `from:`")
    if fact.category == "CO":
        return
    if fact.closed and not (fact.answer or (fact.yes and fact.no)):
        yield _say(fact, "a closed fact needs `yes` and `no`, or an `answer`")
    if fact.closed and fact.answer not in {"", "yes", "no"}:
        yield _say(fact, f"the answer of a closed fact is yes or no, not '{fact.answer}'")
    if not fact.closed and not (fact.pool or fact.answer):
        yield _say(fact, "an open fact needs `from` or `answer`")
    if not (fact.information or (fact.yes and fact.no)):
        yield _say(fact, "nothing is told")


def _texts(fact: Fact) -> tuple[str, ...]:
    return (*fact.information, *fact.questions, *fact.context, fact.plain, fact.competing, fact.update)


def _content(fact: Fact, told: DrawnFact) -> Iterator[Problem]:
    for question in fact.questions:
        if not question.rstrip().endswith("?"):
            yield _say(fact, f"a question without a question mark: '{question}'")
    for texts in (fact.information, fact.questions, fact.yes, fact.no):
        for text, count in Counter(texts).items():
            if count > 1:
                yield _say(fact, f"the same words twice: '{text}'")
    if fact.category != "CO":
        yield from _closed_gold(fact) if fact.closed else _open_gold(fact, told)


def _closed_gold(fact: Fact) -> Iterator[Problem]:
    sides = {"yes": fact.yes, "no": fact.no}
    if fact.answer:
        sides[fact.answer] = (*sides[fact.answer], *fact.information)
    for text in sides["yes"]:
        if NEGATED.search(text.casefold()):
            yield _say(fact, f"the answer is yes, but '{text}' says no", "a wrong gold?")
    for text in sides["no"]:
        if not NEGATED.search(text.casefold()):
            yield _say(fact, f"the answer is no, but '{text}' does not say so", "a wrong gold?")


def _open_gold(fact: Fact, told: DrawnFact) -> Iterator[Problem]:
    for text in told.information:
        if not any(_contains(text, answer) for answer in told.accepted):
            yield _say(fact, f"'{text}' does not say '{told.answer}'", "a wrong gold?")
    for text in (*told.questions, *told.context):
        if any(_contains(text, answer) for answer in told.accepted):
            yield _say(fact, f"'{text}' gives the answer away")
    if told.competing and any(_contains(told.competing, answer) for answer in told.accepted):
        yield _say(fact, "the competing statement gives the right answer")
    if told.update and not _contains(told.update, told.updated):
        yield _say(fact, "the update does not say {new}")


def _contains(text: str, answer: str) -> bool:
    words, wanted = split_tokens(text), split_tokens(answer)
    return any(words[start : start + len(wanted)] == wanted for start in range(len(words)))


def _doubles(book: FactBook) -> Iterator[Problem]:
    ids: dict[int, Fact] = {}
    questions: dict[str, Fact] = {}
    for fact in book.facts:
        if fact.id in ids:
            yield _say(fact, f"the id is already used by '{ids[fact.id].about}'")
        ids.setdefault(fact.id, fact)
        for question in fact.questions if fact.category != "IQ" else ():
            asked = questions.setdefault(question.casefold(), fact)
            if asked.id != fact.id:
                yield _say(fact, f"'{question}' is also asked by fact {asked.id}", "their answers leak")


def _balance(book: FactBook) -> Iterator[Problem]:
    """Report a category whose closed facts can be passed by one constant answer."""
    for category in sorted({fact.category for fact in book.facts}):
        fixed = [fact for fact in book.of(category) if fact.closed and fact.answer]
        free = [fact for fact in book.of(category) if fact.closed and not fact.answer]
        if category == "CO" or len(fixed) + len(free) < _FEWEST_CLOSED:
            continue
        yes = sum(fact.answer == "yes" for fact in fixed) + len(free) / 2
        share = yes / (len(fixed) + len(free))
        if max(share, 1 - share) > _MOST_ON_ONE_SIDE:
            side = "yes" if share > 0.5 else "no"
            message = f"{category}: {max(share, 1 - share):.0%} of the closed facts have the answer {side}"
            yield Problem(fixed[0].file, 0, message, f"a bot that always says {side} would pass")
