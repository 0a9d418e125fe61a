"""Which slots of a flow a message fills or corrects without being asked for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from du_eval.generators.baseline.categories import mentioned_values
from du_eval.generators.baseline.profiles import FORMS, Role, SlotProfile
from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.text import content_words, split_identifier, stem, words
from du_eval.generators.baseline.trimming import bare

_GIVING = frozenset(
    {"to", "pay", "paying", "owe", "give", "send", "wire", "transfer", "for", "an", "à", "al", "para", "pour"}
)
_PLACING = frozenset({"in", "at"})
_PURPOSE = re.compile(
    r"\bfor\s+(?P<purpose>(?!\d)(?:(?!\b(?:please|and|of|at|from|on|by|to pay)\b)[\w'’ -])+)", re.IGNORECASE
)

_DECLINED = re.compile(r"\b(?:no|without|don'?t want (?:the|a|any)) (?P<what>\w+)", re.IGNORECASE)

Filled = tuple[tuple[str, str], ...]
"""Slots and their values."""


def filled_by(profiles: Sequence[SlotProfile], message: str, pieces: Sequence[Span]) -> Filled:
    """Return the slots that a message fills by itself; every piece of it serves one slot only."""
    used: set[Span] = set()
    found: list[tuple[str, str]] = []
    for profile in profiles:
        value = _known_value(profile, message)
        if value is None:
            span = next((item for item in _fitting(profile, pieces) if item not in used), None)
            if span:
                used.add(span)
                value = span.value
        if value is None:
            value = _purpose(profile, message) or _refusal(profile, message)
        if value is not None and value not in {given for _, given in found}:
            found.append((profile.name, value))
    return tuple(found)


def _known_value(profile: SlotProfile, message: str) -> str | None:
    values = mentioned_values(profile, message) if profile.aliases else ()
    return values[0] if len(values) == 1 else None


def _fitting(profile: SlotProfile, pieces: Sequence[Span]) -> Iterator[Span]:
    """Yield the pieces that a slot may take from a message that does not answer a question about it."""
    if profile.role is Role.CATEGORY:
        return
    for form in FORMS.get(profile.role, ()):
        for span in pieces:
            if span.form is form and _is_meant(profile, span):
                yield span


def _is_meant(profile: SlotProfile, span: Span) -> bool:
    role = profile.role
    if role in {Role.PERSON, Role.PLACE} and _only_names_the_slot(profile, span.value):
        return False
    if role is Role.PERSON:
        return (span.lead in _GIVING and (span.is_sure or span.lead != "for")) or (
            span.is_sure and span.lead not in {"in", "at", "on", "from"}
        )
    if role is Role.PLACE:
        return span.lead in _PLACING or (span.is_sure and not span.lead)
    if role is Role.IDENTIFIER:
        return span.form is Form.CODE or len(span.value) >= 3
    return True


def _only_names_the_slot(profile: SlotProfile, value: str) -> bool:
    """Tell whether a supposed value is only the word for what the slot holds."""
    return {stem(word) for word in words(value)} <= {stem(word) for word in words(profile.about)}


def _purpose(profile: SlotProfile, message: str) -> str | None:
    if profile.role is not Role.PURPOSE:
        return None
    values = (bare(match["purpose"]) for match in _PURPOSE.finditer(message))
    return next((value for value in values if value and not _only_names_the_slot(profile, value)), None)


def _refusal(profile: SlotProfile, message: str) -> str | None:
    """Return False where a message declines, by its name, what a yes-or-no slot is about."""
    if profile.role is not Role.YES_NO:
        return None
    declined = {stem(match["what"].lower()) for match in _DECLINED.finditer(message)}
    return (
        "False" if declined & {stem(word) for word in content_words(split_identifier(profile.name))} else None
    )
