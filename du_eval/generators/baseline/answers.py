"""What a message answers to the question that was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from du_eval.generators.baseline.categories import abbreviated_value, mentioned_values
from du_eval.generators.baseline.cues import is_elliptic_yes, yes_or_no
from du_eval.generators.baseline.phrases import NO
from du_eval.generators.baseline.profiles import FORMS, Role, SlotProfile
from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.text import content_words, stem, words
from du_eval.generators.baseline.trimming import bare

_LONG = 8
_KEEPS_PREPOSITION = frozenset({Role.DATE, Role.TIME})


@dataclass(frozen=True, slots=True)
class Answer:
    """The value for a slot, and whether it has the form that the slot wants."""

    value: str
    is_sure: bool


def answer_to(profile: SlotProfile, message: str, pieces: Sequence[Span]) -> Answer | None:
    """Return what a message answers to the question about a slot, if anything."""
    if profile.role is Role.YES_NO:
        return _yes_no_answer(profile, message)
    values = mentioned_values(profile, message)
    if len(values) == 1:
        return Answer(values[0], is_sure=True)
    if profile.role is Role.CATEGORY:
        short = abbreviated_value(profile, message)
        return Answer(short, is_sure=True) if short else _raw(message, profile.role)
    fitting = [span for form in FORMS.get(profile.role, ()) for span in pieces if span.form is form]
    if profile.role in {Role.PERSON, Role.PLACE}:
        return _name_answer(message, fitting, profile.role)
    if fitting:
        return _formal_answer(message, fitting)
    if profile.role in {Role.AMOUNT, Role.COUNT}:
        return None
    return _raw(message, profile.role, is_sure=profile.role is Role.TIME and any(map(is_number_like, pieces)))


def _formal_answer(message: str, fitting: Sequence[Span]) -> Answer:
    """Return the best of some fitting pieces; number words in a story count less."""
    plain_ones = [span for span in fitting if not _is_in_words(message, span)]
    is_late = len(words(message[: fitting[0].start])) > 2
    is_aside = not plain_ones and is_late and len(words(message)) > _LONG
    return Answer((plain_ones or fitting)[0].value, is_sure=not is_aside)


def _is_in_words(message: str, span: Span) -> bool:
    return is_number_like(span) and not any(letter.isdigit() for letter in message[span.start : span.end])


def _yes_no_answer(profile: SlotProfile, message: str) -> Answer | None:
    verdict = yes_or_no(message)
    if verdict is None and is_elliptic_yes(message):
        return Answer("True", is_sure=True)
    if verdict is not None:
        return Answer(str(verdict), is_sure=_is_direct(message))
    asked = {stem(word) for word in content_words(profile.about)}
    if asked & {stem(word) for word in content_words(message)}:
        return Answer("False" if NO.search(message) else "True", is_sure=False)
    return None


def _is_direct(message: str) -> bool:
    """Tell whether a message answers yes or no at once, and not somewhere along the way."""
    said = words(message)
    return len(said) <= 4 or yes_or_no(" ".join(said[:3])) is not None


def _name_answer(message: str, names: Sequence[Span], role: Role) -> Answer | None:
    raw = _raw(message, role)
    sure = [span for span in names if span.is_sure]
    if raw is None or (len(raw.value.split()) > 3 and sure):
        return Answer(sure[0].value, is_sure=True) if sure else None
    return raw


def _raw(message: str, role: Role, *, is_sure: bool = False) -> Answer | None:
    value = bare(message, keeps_preposition=role in _KEEPS_PREPOSITION)
    return Answer(value, is_sure=is_sure) if value else None


def is_number_like(span: Span) -> bool:
    """Tell whether a piece is a number or an amount."""
    return span.form in {Form.MONEY, Form.NUMBER}
