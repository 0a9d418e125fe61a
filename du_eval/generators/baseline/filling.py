"""Which slots a message fills: pieces of it are matched with slots, and the best pairs win."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from du_eval.assistants.coercion import coerced
from du_eval.generators.baseline import cues, phrases
from du_eval.generators.baseline.slots import FORMS, LEADS, SlotProfile, ValueRole
from du_eval.generators.baseline.spans import Form, Span
from du_eval.generators.baseline.tables import read_table
from du_eval.generators.baseline.text import STOP_WORDS, content_stems, sentences
from du_eval.generators.baseline.values import REFUSED, find_values
from du_eval.text.words import stem, words

Filled = tuple[tuple[str, str], ...]
"""Slots and their values."""
_ENOUGH = 0.75
"""The score from which a piece is taken for a slot; the other numbers add up to it."""
_FORMAL, _SECOND_FORM, _SURE_NAME, _UNSURE_NAME = 0.8, 0.6, 0.5, 0.2
_ASKED, _LED, _NAMED, _COUNTED, _ALONE = 0.8, 0.6, 0.5, 0.5, 0.3
_CHANGED, _CONTRADICTED, _TOO_SHORT = -0.3, -0.6, -1.0
_PEOPLE = frozenset(stem(word) for line in read_table("words.txt")["people"] for word in line.split())
_NEAR, _REACH = 4, 3
_SHORTEST_NUMBER = 3
_CAPITAL_ROLES = frozenset({ValueRole.PLACE, ValueRole.TITLE, ValueRole.ADDRESS})
"""Where a name in lower case counts only from people who write everything in lower case."""


class Known(Struct, frozen=True):
    """What is known when a message arrives: the slot asked for, and the values so far."""

    slots: Mapping[str, object]
    asked: str | None = None
    is_correction: bool = False


class _Pair(Struct, frozen=True):
    profile: SlotProfile
    span: Span
    score: float


def fill_slots(profiles: Sequence[SlotProfile], text: str, pieces: Sequence[Span], known: Known) -> Filled:
    """Return the slots that a text fills or changes; a piece serves one slot, a slot takes one piece."""
    chosen: dict[str, _Pair] = {}
    for pair in sorted(_Matcher(profiles, text, pieces, known).pairs(), key=lambda pair: -pair.score):
        is_taken = any(pair.span.overlaps(other.span) for other in chosen.values())
        if pair.score >= _ENOUGH and pair.profile.name not in chosen and not is_taken:
            chosen[pair.profile.name] = pair
    found = sorted(chosen.values(), key=lambda pair: pair.span.start)
    return tuple(
        (p.profile.name, p.span.value) for p in found if not _is_known(p.profile, p.span.value, known)
    )


def fill_bools(profiles: Sequence[SlotProfile], text: str, known: Known) -> Filled:
    """Return the yes-or-no slots whose names a statement mentions, true unless it denies something."""
    found = []
    for profile in profiles:
        if profile.role is ValueRole.YES_NO and profile.name != known.asked:
            verdicts = [decide_bool(profile, part) for part in sentences(text)]
            value = next((verdict for verdict in verdicts if verdict), None)
            if value and str(known.slots.get(profile.name)) != value:
                found.append((profile.name, value))
    return tuple(found)


def decide_bool(profile: SlotProfile, text: str) -> str | None:
    """Return True or False where a statement mentions, by its name, what a yes-or-no slot is about."""
    telling = {item for item in profile.own if len(item) > 2}
    said = set(content_stems(text))
    if not telling or len(telling & said) < (len(telling) + 1) / 2 or cues.is_question(text):
        return None
    return "False" if phrases.NO.search(phrases.NOT_NEGATIVE.sub("", text)) else "True"


class _Matcher:
    """Scores the pieces of one text against some slots."""

    def __init__(
        self, profiles: Sequence[SlotProfile], text: str, pieces: Sequence[Span], known: Known
    ) -> None:
        self._profiles, self._text, self._known = profiles, text, known
        self._values = [
            _Pair(profile, span, score + self._context(profile, span))
            for profile in profiles
            if profile.role not in {ValueRole.COUNT, ValueRole.YES_NO}
            for span, score in find_values(profile, text)
        ]
        covered = [pair.span for pair in self._values]
        self._pieces = [
            p for p in pieces if p.form is not Form.NAME or not any(p.overlaps(o) for o in covered)
        ]

    def pairs(self) -> Iterator[_Pair]:
        """Yield every slot with every piece that it could take."""
        yield from self._values
        for profile in self._profiles:
            rivals = sum(item.role is profile.role for item in self._profiles)
            for span in self._pieces:
                if span.form in FORMS.get(profile.role, ()) and self._is_possible(profile, span):
                    alone = _ALONE if rivals == 1 else 0.0
                    yield _Pair(profile, span, _by_form(profile, span) + self._context(profile, span) + alone)

    def _is_possible(self, profile: SlotProfile, span: Span) -> bool:
        if REFUSED.search(self._text[: span.start]):
            return False
        if profile.role is ValueRole.COUNT and profile.slot.values:
            return span.value in profile.slot.values
        if span.form is not Form.NAME:
            return True
        has_capitals = any(letter.isupper() for letter in self._text)
        is_guess = not span.is_sure and has_capitals and profile.role in _CAPITAL_ROLES
        only_names_it = set(content_stems(span.value)) <= profile.about
        return not only_names_it and (not is_guess or profile.name == self._known.asked)

    def _context(self, profile: SlotProfile, span: Span) -> float:
        """Return what the words around a piece, the question and the old value say for a slot."""
        before = words(self._text[: span.start])[-_NEAR:]
        lead = next((word for word in reversed(before[-_REACH:]) if word in LEADS), "")
        score = _LED if lead in profile.leads else _CONTRADICTED if profile.contradicts(lead) else 0.0
        if profile.own & {stem(word) for word in before if word not in STOP_WORDS}:
            score += _NAMED
        if profile.role is ValueRole.COUNT:
            score += self._counting(profile, span)
        if profile.name == self._known.asked:
            return score + _ASKED
        if profile.role is ValueRole.IDENTIFIER and len(span.value) < _SHORTEST_NUMBER:
            score += _TOO_SHORT
        is_filled = self._known.slots.get(profile.name) is not None
        return score + _CHANGED if is_filled and not self._known.is_correction else score

    def _counting(self, profile: SlotProfile, span: Span) -> float:
        """Return whether the words behind a number speak of what a slot counts."""
        rest = self._text[span.end :]
        after = words(rest)[:2]
        following = {stem(word) for word in after}
        counts_people = following & _PEOPLE and profile.about & _PEOPLE
        counts_value = any(0 <= pair.span.start - span.end <= 1 for pair in self._values)
        if following & profile.about or counts_people or counts_value:
            return _COUNTED
        is_open = not after or after[0] in STOP_WORDS or not rest[:1].isspace()
        return 0.0 if is_open else -_COUNTED


def _by_form(profile: SlotProfile, span: Span) -> float:
    if span.form is Form.NAME:
        return _SURE_NAME if span.is_sure else _UNSURE_NAME
    return _FORMAL if span.form is FORMS[profile.role][0] else _SECOND_FORM


def _is_known(profile: SlotProfile, value: str, known: Known) -> bool:
    old = known.slots.get(profile.name)
    return old is not None and _fold(coerced(profile.slot, value)) == _fold(old)


def _fold(value: object) -> str:
    text = str(value).casefold().strip()
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
