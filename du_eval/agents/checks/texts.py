"""Checks of what a text says: by its words, or by an opinion about it."""

from __future__ import annotations

from functools import lru_cache

import regex
from msgspec import Struct

from du_eval.agents.checks.base import (
    CheckFinding,
    CheckKind,
    InapplicableError,
    Subject,
    name_kind,
    number,
    show_value,
    switch,
    text,
)

_PATTERN_SECONDS = 1.0


def _equal(subject: Subject, expected: object) -> CheckFinding:
    return CheckFinding(bool(subject.fold(subject.value) == subject.fold(expected)))


def _equal_without_case(subject: Subject, expected: str) -> CheckFinding:
    return CheckFinding(subject.text.casefold() == expected.casefold())


def _contains(subject: Subject, expected: object) -> CheckFinding:
    value = subject.value
    if isinstance(value, str) and not isinstance(expected, str):
        raise InapplicableError(
            f"the keyword {show_value(expected)} is {name_kind(expected)}, and the value is a string"
        )
    if not isinstance(value, str | list | dict):
        raise InapplicableError(f"it is {name_kind(value)}, which cannot contain anything")
    if isinstance(value, dict):
        value = list(value)
    return CheckFinding(subject.fold(expected) in subject.fold(value))


def _starts(subject: Subject, expected: str) -> CheckFinding:
    return CheckFinding(bool(subject.fold(subject.text).startswith(subject.fold(expected))))


def _ends(subject: Subject, expected: str) -> CheckFinding:
    return CheckFinding(bool(subject.fold(subject.text).endswith(subject.fold(expected))))


@lru_cache(maxsize=4096)
def _compiled(pattern: str, *, ignores_case: bool) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE if ignores_case else 0)


def _matches(subject: Subject, expected: str) -> CheckFinding:
    pattern = _compiled(expected, ignores_case=subject.ignores_case)
    try:
        found = pattern.search(subject.text, timeout=_PATTERN_SECONDS)
    except TimeoutError:
        return CheckFinding(None, f"the pattern took longer than {_PATTERN_SECONDS:g} s on this text")
    return CheckFinding(found is not None)


def _pattern(raw: object) -> str:
    pattern = text(raw)
    try:
        _compiled(pattern, ignores_case=False)
    except regex.error as error:
        raise ValueError(f"the pattern is not valid: {error}") from error
    return pattern


def _exists(subject: Subject, expected: bool) -> CheckFinding:  # noqa: FBT001
    return CheckFinding((subject.value is not None) is expected)


def _missing(subject: Subject, expected: bool) -> CheckFinding:  # noqa: FBT001
    return CheckFinding((subject.value is None) is expected)


TEXT_CHECKS = (
    CheckKind("value", lambda e: f"to be {show_value(e)}", _equal),
    CheckKind("keywords", lambda e: f"to contain {show_value(e)}", _contains),
    CheckKind(
        "ignore_case", lambda e: f"to be {show_value(e)} in any case", _equal_without_case, prepare=text
    ),
    CheckKind("starts_with", lambda e: f"to start with {show_value(e)}", _starts, prepare=text),
    CheckKind("ends_with", lambda e: f"to end with {show_value(e)}", _ends, prepare=text),
    CheckKind("regex", lambda e: f"to match the pattern {show_value(e)}", _matches, prepare=_pattern),
    CheckKind(
        "exists",
        lambda e: "to be there" if e else "to be absent",
        _exists,
        prepare=switch,
        takes_missing=True,
    ),
    CheckKind(
        "missing",
        lambda e: "to be missing" if e else "to be there",
        _missing,
        prepare=switch,
        takes_missing=True,
    ),
)


class Likeness(Struct, frozen=True):
    """A text, and how similar the value must be; None leaves that to the judge."""

    to: str
    at_least: float | None = None

    def __str__(self) -> str:
        return show_value(self.to)


async def _gist(subject: Subject, expected: str) -> CheckFinding:
    value = subject.value if isinstance(subject.value, str) else show_value(subject.value)
    opinion = await subject.judges.gist.decide(value, expected)
    return CheckFinding(opinion.met, opinion.reason, opinion.judge)


async def _similar(subject: Subject, expected: Likeness) -> CheckFinding:
    judge = subject.judges.similarity
    threshold = judge.threshold if expected.at_least is None else expected.at_least
    score = await judge.score(subject.text, expected.to)
    detail = f"the similarity is {score:.2f}, the threshold {threshold:.2f}"
    return CheckFinding(score >= threshold, detail, judge.name)


def _likeness(raw: object) -> Likeness:
    if not isinstance(raw, dict):
        return Likeness(text(raw))
    share = raw.get("at_least")
    return Likeness(text(raw.get("to")), None if share is None else _share(share))


def _share(raw: object) -> float:
    share = number(raw)
    if not 0 < share <= 1:
        raise ValueError("needs a number above 0 and at most 1")
    return share


async def _polite(subject: Subject, expected: float) -> CheckFinding:
    judge = subject.judges.toxicity
    score = await judge.score(subject.text)
    return CheckFinding(score.value < expected, f"the toxicity is {score.value:.2f}{score.why}", judge.name)


JUDGED_CHECKS = (
    CheckKind("gist", lambda e: f"to meet the criteria {show_value(e)}", _gist, prepare=text),
    CheckKind(
        "similar",
        lambda e: f"to be similar to {e}",
        _similar,
        prepare=_likeness,
        options=frozenset({"to", "at_least"}),
    ),
    CheckKind("toxicity_below", lambda e: f"to have a toxicity below {e:g}", _polite, prepare=_share),
)
