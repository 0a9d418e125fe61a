"""A message in its situation, and the slots that it fills inside a flow: the answer, more, corrections."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from du_eval.generators.baseline import cues
from du_eval.generators.baseline.filling import Filled, fill_slots
from du_eval.generators.baseline.slots import FORMS, SlotProfile, ValueRole
from du_eval.generators.baseline.spans import Form
from du_eval.text.words import words

_SHORT = 4
_WHOLE = frozenset({ValueRole.ADDRESS, ValueRole.PURPOSE, ValueRole.FREE})
"""What a short answer gives as a whole."""


class Situation(Struct, frozen=True):
    """A message, and what is known when it arrives."""

    message: str
    flow: str | None
    asked: SlotProfile | None
    profiles: tuple[SlotProfile, ...]
    """The slots of the active flow, and the one that was asked for."""
    slots: Mapping[str, object]
    bot: str = ""
    """What the bot said last."""

    @property
    def length(self) -> int:
        """The number of words."""
        return len(words(self.message))

    @property
    def asks_yes_or_no(self) -> bool:
        """Tell whether the bot waits for a yes or a no."""
        return self.asked is not None and self.asked.role is ValueRole.YES_NO


def answer(situation: Situation) -> Filled:
    """Return the slots that a message fills in answer to a question, or changes."""
    asked = situation.asked
    is_open = asked is not None and not situation.asks_yes_or_no
    name = asked.name if asked and is_open else None
    # A slot that is kept for its question is filled by the answer to it, and may be corrected later.
    profiles = [
        item
        for item in situation.profiles
        if not item.collect.ask_before_filling
        or item.name == name
        or (situation.slots.get(item.name) is not None and item.role is not ValueRole.YES_NO)
    ]
    found = fill_slots(profiles, situation.message, situation.slots, name)
    if asked is None or is_open:
        return found
    found = tuple(pair for pair in found if pair[0] != asked.name)
    if found and (cues.says("correction", situation.message) or situation.length <= _SHORT):
        return found
    verdict = cues.yes_or_no(situation.message)
    is_direct = (
        situation.length <= _SHORT or cues.yes_or_no(" ".join(words(situation.message)[:3])) is not None
    )
    return ((asked.name, str(verdict)), *found) if verdict is not None and is_direct else found


def accept(situation: Situation) -> Filled:
    """Return what the bot's words bring for open slots: all where it checks them, else names it offers."""
    checks = "?" in situation.bot or "confirm" in situation.bot.lower()
    unset = [
        item
        for item in situation.profiles
        if situation.slots.get(item.name) is None and item.role is not ValueRole.YES_NO
    ]
    named = [item for item in unset if Form.NAME in FORMS.get(item.role, ())]
    found = fill_slots(unset if checks else named, situation.bot)
    known = {str(value).casefold() for value in situation.slots.values()}
    return tuple((name, value) for name, value in found if value.casefold() not in known)


def answer_whole(situation: Situation) -> Filled:
    """Return a short message as the answer, where the slot asked for takes any words."""
    asked, whole = situation.asked, raw_answer(situation)
    is_fit = asked is not None and asked.role in _WHOLE and not asked.aliases
    return ((asked.name, whole),) if asked and whole and is_fit and situation.length <= _SHORT else ()


def raw_answer(situation: Situation) -> str | None:
    """Return a message as the answer itself, where it can be one."""
    unfit = {ValueRole.YES_NO, ValueRole.AMOUNT, ValueRole.COUNT}
    if situation.asked is None or situation.asked.role in unfit or cues.is_acknowledgement(situation.message):
        return None
    return situation.message.strip(' .!?,;:"') or None
