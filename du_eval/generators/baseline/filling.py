"""Which slots a message fills: pieces of it are matched with slots, and the best pairs win."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from du_eval.assistants.coercion import coerce_value
from du_eval.generators.baseline import cues
from du_eval.generators.baseline.pieces import find_pieces
from du_eval.generators.baseline.slots import FORMS, LEADS, SlotProfile, ValueRole
from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.text import STOP_WORDS, content_stems, sentences
from du_eval.text.words import stem, words

Filled = tuple[tuple[str, str], ...]
"""Slots and their values."""
_ENOUGH = 0.75
"""The score from which a piece is taken for a slot; the other numbers add up to it."""
_VALUE, _FORMAL, _SURE_NAME, _UNSURE_NAME = 1.2, 0.8, 0.5, 0.2
_ASKED, _LED, _ALONE = 0.8, 0.6, 0.3
_REACH = 3
_REFUSED = re.compile(
    r"\b(?:not|no|instead of|rather than|without|isn't|wasn't)\s+(?:a |an |the |by |to |for )?$",
    re.IGNORECASE,
)
_SHORTEST_CODE = 3
_WORD = re.compile(r"[^\W\d_]+")
_PART = 0.8
"""What a value counts of which only one word is said."""


class _Pair(Struct, frozen=True):
    profile: SlotProfile
    span: Span
    score: float


def fill_slots(
    profiles: Sequence[SlotProfile],
    text: str,
    known: Mapping[str, object] | None = None,
    asked: str | None = None,
) -> Filled:
    """Return the slots that a text fills or changes; a piece serves one slot, a slot takes one piece."""
    chosen: dict[str, _Pair] = {}
    for pair in sorted(_find_pairs(profiles, text, asked), key=lambda pair: -pair.score):
        is_taken = any(pair.span.overlaps(other.span) for other in chosen.values())
        if pair.score >= _ENOUGH and pair.profile.name not in chosen and not is_taken:
            chosen[pair.profile.name] = pair
    found = [(pair.profile, pair.span.value) for pair in sorted(chosen.values(), key=lambda p: p.span.start)]
    found += [(profile, value) for profile in profiles if (value := _mention(profile, text, asked))]
    return tuple(
        (profile.name, value) for profile, value in found if not _is_known(profile, value, known or {})
    )


def _mention(profile: SlotProfile, text: str, asked: str | None) -> str | None:
    """Return True or False where a sentence names what a yes-or-no slot is about, and asks nothing."""
    telling = {item for item in profile.own if len(item) > 2}
    if profile.role is not ValueRole.YES_NO or profile.name == asked or not telling:
        return None
    for part in sentences(text):
        is_named = len(telling.intersection(content_stems(part))) >= (len(telling) + 1) / 2
        if is_named and not cues.is_question(part):
            return str(not cues.says("no", part))
    return None


def _find_pairs(profiles: Sequence[SlotProfile], text: str, asked: str | None) -> Iterator[_Pair]:
    """Yield every slot with every piece that it could take."""
    values = [
        _Pair(profile, span, score + _read_context(profile, span, text, asked))
        for profile in profiles
        if profile.role not in {ValueRole.COUNT, ValueRole.YES_NO}
        for span, score in _find_values(profile, text)
    ]
    yield from values
    for span in find_pieces(text):
        if _REFUSED.search(text[: span.start]):
            continue
        if span.form is Form.NAME and any(span.overlaps(pair.span) for pair in values):
            continue
        for profile in profiles:
            if span.form in FORMS.get(profile.role, ()) and _is_possible(profile, span, asked):
                is_alone = sum(item.role is profile.role for item in profiles) == 1
                score = _rate_form(span) + (_ALONE if is_alone else 0.0)
                yield _Pair(profile, span, score + _read_context(profile, span, text, asked))


def _find_values(profile: SlotProfile, text: str) -> Iterator[tuple[Span, float]]:
    """Yield the values that a text mentions without refusing them, with a score; longer ones are better."""
    lowered = text.lower()
    for alias, value in profile.aliases:
        pattern = rf"(?<!\w){re.escape(alias)}(?:e?s)?(?!\w)"
        for match in re.finditer(pattern, lowered) if alias in lowered else ():
            if not _REFUSED.search(lowered[: match.start()]):
                yield Span(Form.VALUE, match.start(), match.end(), value), _VALUE + len(alias) / 1000
    for match in _WORD.finditer(lowered) if profile.role is ValueRole.CATEGORY else ():
        whole = _find_whole(profile, match[0])
        if whole and not _REFUSED.search(lowered[: match.start()]):
            yield Span(Form.VALUE, match.start(), match.end(), whole), _PART


def _find_whole(profile: SlotProfile, word: str) -> str | None:
    """Return the only value that a word is a part of."""
    stemmed = stem(word)
    if word in STOP_WORDS or stemmed in profile.own | profile.flow:
        return None
    found = {value for alias, value in profile.aliases if stemmed in content_stems(alias)}
    return found.pop() if len(found) == 1 else None


def _is_possible(profile: SlotProfile, span: Span, asked: str | None) -> bool:
    if profile.role is ValueRole.COUNT and profile.slot.values:
        return span.value in profile.slot.values
    if profile.role is ValueRole.IDENTIFIER and profile.name != asked:
        return len(span.value) >= _SHORTEST_CODE
    return span.form is not Form.NAME or not set(content_stems(span.value)) <= profile.about


def _read_context(profile: SlotProfile, span: Span, text: str, asked: str | None) -> float:
    """Return what the question and the words in front of a piece say for a slot."""
    before = reversed(words(text[: span.start])[-_REACH:])
    lead = next((word for word in before if word in LEADS), "")
    return (_LED if lead in profile.leads else 0.0) + (_ASKED if profile.name == asked else 0.0)


def _rate_form(span: Span) -> float:
    if span.form is Form.NAME:
        return _SURE_NAME if span.is_sure else _UNSURE_NAME
    return _FORMAL


def _is_known(profile: SlotProfile, value: str, known: Mapping[str, object]) -> bool:
    old = known.get(profile.name)
    return old is not None and _fold(coerce_value(profile.slot, value)) == _fold(old)


def _fold(value: object) -> str:
    text = str(value).casefold().strip()
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
