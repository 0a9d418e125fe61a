"""What a message changes about slots that are already filled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from du_eval.assistants.coercion import coerced
from du_eval.generators.baseline.answers import is_number_like
from du_eval.generators.baseline.filling import Filled, filled_by
from du_eval.generators.baseline.phrases import CORRECTION
from du_eval.generators.baseline.profiles import SlotProfile
from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.text import content_words, split_identifier, stem, words

_REFUSED = re.compile(
    r"\b(?:not|instead of|rather than|isn't|wasn't|from)\s+(?:to |a |the |for )?$", re.IGNORECASE
)
_MEANT = re.compile(r"\b(?:i mean|i meant|instead|rather|not)\b", re.IGNORECASE)
_LONG = 6
_FAULT = re.compile(
    r"\b(?:wrong|incorrect|not (?:right|correct)|isn'?t (?:right|correct)|mistake|change|fix|update|typo)\b",
    re.IGNORECASE,
)


def changes(
    profiles: Sequence[SlotProfile], filled: Mapping[str, object], message: str, pieces: Sequence[Span]
) -> Filled:
    """Return the filled slots to which a message gives another value."""
    if not CORRECTION.search(message) and not any(is_number_like(piece) for piece in pieces):
        return ()
    old = {_folded(value) for value in filled.values() if value is not None}
    fresh = [
        _trusted(span, message)
        for span in pieces
        if _folded(span.value) not in old and _is_stated(message, span)
    ]
    known = [profile for profile in profiles if filled.get(profile.name) is not None]
    return tuple(
        (name, value)
        for name, value in filled_by(known, message, fresh)
        if _folded(_typed(known, name, value)) != _folded(filled[name])
    )


def doubted(profiles: Sequence[SlotProfile], filled: Mapping[str, object], message: str) -> str | None:
    """Return the one filled slot that a message calls wrong without giving another value."""
    if not _FAULT.search(message):
        return None
    said = {stem(word) for word in content_words(message)}
    named = [
        profile.name
        for profile in profiles
        if filled.get(profile.name) is not None
        and said & {stem(word) for word in content_words(split_identifier(profile.name))}
    ]
    return named[0] if len(named) == 1 else None


def _typed(profiles: Sequence[SlotProfile], name: str, value: str) -> object:
    return coerced(next(item.slot for item in profiles if item.name == name), value)


def _folded(value: object) -> str:
    text = str(value).casefold().strip()
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


def _is_stated(message: str, span: Span) -> bool:
    """Tell whether a piece is given, not refused and not asked back."""
    return _REFUSED.search(message[: span.start]) is None and not message[span.end :].startswith("?")


def _trusted(span: Span, message: str) -> Span:
    """Return a name at the start of a sentence as a sure one where the message says what is meant."""
    if span.form is Form.NAME and span.value[0].isupper() and _MEANT.search(message):
        return replace(span, is_sure=True)
    if span.form is Form.NAME and not span.is_sure and len(words(message)) > _LONG:
        return replace(span, lead="")
    return span
