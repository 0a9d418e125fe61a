"""Slots that a message fills inside a flow: the answer, further values, corrections, accepted offers."""

from __future__ import annotations

from collections.abc import Sequence

from du_eval.generators.baseline import cues, phrases
from du_eval.generators.baseline.filling import Filled, Known, decide_bool, fill_bools, fill_slots
from du_eval.generators.baseline.pieces import find_pieces
from du_eval.generators.baseline.situation import Situation
from du_eval.generators.baseline.slots import FORMS, SlotProfile, ValueRole
from du_eval.generators.baseline.spans import Form
from du_eval.generators.baseline.trimming import bare
from du_eval.generators.baseline.values import find_values
from du_eval.text.words import words

_TEXTS = frozenset(
    {ValueRole.PERSON, ValueRole.PLACE, ValueRole.TITLE, ValueRole.FREE, ValueRole.ADDRESS, ValueRole.PURPOSE}
)
_SHORT, _LONG = 4, 8


def answer(situation: Situation) -> Filled:
    """Return the slots that a message fills in answer to a question, or changes."""
    if situation.asked is None:
        return _fill(situation, None)
    if situation.asks_yes_or_no:
        return _answer_yes_or_no(situation, situation.asked)
    found = _fill(situation, situation.asked.name)
    if situation.asked.name in dict(found) and situation.asked.role not in _TEXTS:
        return found
    return _with_whole_text(situation, situation.asked, found)


def raw_answer(situation: Situation) -> str | None:
    """Return a message as the answer itself, without the words around it, where it can be one."""
    asked = situation.asked
    if (
        asked is None
        or asked.role in {ValueRole.YES_NO, ValueRole.AMOUNT, ValueRole.COUNT}
        or cues.asks_for_facts(situation.message)
    ):
        return None
    if asked.role is ValueRole.CATEGORY:
        return _whole_category(asked, situation.message)
    return bare(situation.message, keeps_preposition=asked.role in {ValueRole.DATE, ValueRole.TIME}) or None


def _whole_category(asked: SlotProfile, message: str) -> str | None:
    """Return the one value that a short answer begins, what is none of the values, or the answer as it is."""
    said = bare(message)
    begun = {value for alias, value in asked.aliases if said and alias.startswith(said.lower())}
    if len(begun) == 1:
        return begun.pop()
    if len(said.split()) > _SHORT:
        return next((value for value in asked.slot.values if value == "other"), None)
    return said or None


def accept_offer(profiles: Sequence[SlotProfile], situation: Situation) -> Filled:
    """Return what the bot has just proposed, for slots that are empty; a statement proposes only names."""
    told = {str(value).casefold() for value in situation.slots.values()}
    new = [piece for piece in find_pieces(situation.bot) if piece.value.casefold() not in told]
    asks = "?" in situation.bot or cues.is_confirming(situation.bot)
    empty = [
        item
        for item in profiles
        if situation.slots.get(item.name) is None
        and (item.role is ValueRole.TITLE or (asks and item.role is not ValueRole.YES_NO))
    ]
    return fill_slots(empty, situation.bot, new, Known({}))


def _fill(situation: Situation, asked: str | None) -> Filled:
    is_correction = phrases.CORRECTION.search(situation.message) is not None
    known = Known(situation.slots, asked, is_correction)
    open_ones = [item for item in situation.profiles if _may_take(item, situation, asked)]
    pieces = [p for p in situation.pieces if not situation.message[p.end :].startswith("??")]
    found = fill_slots(open_ones, situation.message, pieces, known)
    bools = [item for item in situation.profiles if not item.collect.ask_before_filling]
    return (*found, *fill_bools(bools, situation.message, known))


def _may_take(profile: SlotProfile, situation: Situation, asked: str | None) -> bool:
    """Tell whether a slot may be filled now: asked for, filled before, or not kept for its question."""
    is_filled = situation.slots.get(profile.name) is not None
    return profile.name == asked or is_filled or not profile.collect.ask_before_filling


def _answer_yes_or_no(situation: Situation, asked: SlotProfile) -> Filled:
    changed = _fill(situation, None)
    if changed and (phrases.CORRECTION.search(situation.message) or situation.length <= _SHORT):
        return changed
    verdict = cues.yes_or_no(situation.message)
    said = words(situation.message)
    is_direct = len(said) <= _SHORT or cues.yes_or_no(" ".join(said[:3])) is not None
    if verdict is not None and is_direct:
        return ((asked.name, str(verdict)), *changed)
    mentioned = decide_bool(asked, situation.message)
    return ((asked.name, mentioned), *changed) if mentioned else changed


def _with_whole_text(situation: Situation, asked: SlotProfile, found: Filled) -> Filled:
    """Return what was found, with the whole message as the answer where no piece of it is a better one."""
    whole = raw_answer(situation)
    value = dict(found).get(asked.name)
    if whole is None or (found and value is None):
        return found
    if value is None:
        return found
    is_value = any(span.value == value for span, _ in find_values(asked, situation.message))
    is_formal = any(
        p.value == value and p.form is not Form.NAME and p.form in FORMS.get(asked.role, ())
        for p in situation.pieces
    )
    is_name = any(p.value == value and p.is_sure for p in situation.pieces) and len(words(whole)) > len(
        words(value)
    )
    if is_value or is_formal or is_name or len(whole.split()) > _SHORT or len(found) > 1:
        return found
    return ((asked.name, whole),)
